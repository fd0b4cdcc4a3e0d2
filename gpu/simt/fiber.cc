#include "gpu/simt/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// jump_fcontext, entered by a jump and left by a return. It goes to the other fibre by a jump:
// called, it would leave the processor's stack of return addresses one too high, and every return
// of the fibre that goes on would be predicted wrong.
#if defined(__x86_64__) && !defined(__SHSTK__)
asm(R"(
  .text
  .type samebits_jump_fcontext, @function
samebits_jump_fcontext:
  leaq 1f(%rip), %r8
  pushq %r8
  jmp jump_fcontext@PLT
1:
  ret
  .size samebits_jump_fcontext, .-samebits_jump_fcontext
)");
extern "C" boost::context::detail::transfer_t samebits_jump_fcontext(
    boost::context::detail::fcontext_t to, void* data);
#else
#define samebits_jump_fcontext boost::context::detail::jump_fcontext
#endif

namespace samebits::gpu::simt {
namespace {

namespace ctx = boost::context::detail;

/// Lives on the stack that is left; read by the fibre that is entered.
struct Jump {
  Fiber* from;  // null if it ended
  Fiber* to;
};

void AnnounceSwitch([[maybe_unused]] void** fake_stack, [[maybe_unused]] const void* bottom,
                    [[maybe_unused]] size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(fake_stack, bottom, bytes);
#endif
}

void AnnounceArrival([[maybe_unused]] void* fake_stack, [[maybe_unused]] const void** bottom,
                     [[maybe_unused]] size_t* bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack, bottom, bytes);
#endif
}

}  // namespace

void Fiber::Prepare(std::byte* stack_top, size_t stack_bytes, Entry entry, void* argument) {
  entry_ = entry;
  argument_ = argument;
  stack_bottom_ = stack_top - stack_bytes;
  stack_bytes_ = stack_bytes;
  fake_stack_ = nullptr;
#if defined(__SANITIZE_ADDRESS__)
  // A fibre that was abandoned here left its frames' red zones behind.
  __asan_unpoison_memory_region(stack_bottom_, stack_bytes_);
#endif
  context_ = ctx::make_fcontext(stack_top, stack_bytes, &Fiber::Start);
}

void Fiber::SwitchTo(Fiber& to) {
  Jump jump{this, &to};
  AnnounceSwitch(&fake_stack_, to.stack_bottom_, to.stack_bytes_);
  Arrive(samebits_jump_fcontext(to.context_, &jump));
}

void Fiber::LeaveTo(Fiber& to) {
  Jump jump{nullptr, &to};
  AnnounceSwitch(nullptr, to.stack_bottom_, to.stack_bytes_);
  ctx::jump_fcontext(to.context_, &jump);
  std::abort();
}

void Fiber::Arrive(ctx::transfer_t transfer) {
  const void* bottom = nullptr;
  size_t bytes = 0;
  AnnounceArrival(fake_stack_, &bottom, &bytes);
  if (Fiber* from = static_cast<Jump*>(transfer.data)->from) {
    from->context_ = transfer.fctx;
    if (bytes != 0) {
      from->stack_bottom_ = bottom;
      from->stack_bytes_ = bytes;
    }
  }
}

void Fiber::Start(ctx::transfer_t transfer) {
  Fiber* self = static_cast<Jump*>(transfer.data)->to;
  self->Arrive(transfer);
  self->entry_(self->argument_);
  std::abort();  // an entry ends with LeaveTo
}

Stacks::Stacks(int count, size_t bytes) : count_(count) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  bytes_ = (bytes + page - 1) / page * page;
  pitch_ = bytes_ + page;
  void* base = mmap(nullptr, pitch_ * static_cast<size_t>(count), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<std::byte*>(base);
  // Each guard costs two mappings, of which the system allows 65530.
  constexpr int kMaxGuards = 16384;
  const int every = 1 + (count - 1) / kMaxGuards;
  for (int i = 0; i < count; i += every) {
    mprotect(base_ + static_cast<size_t>(i) * pitch_, page, PROT_NONE);
  }
}

Stacks::~Stacks() { munmap(base_, pitch_ * static_cast<size_t>(count_)); }

}  // namespace samebits::gpu::simt
