#include "gpu/kda_pre/instantiate_hip.h"

SAMEBITS_KDA_PRE_KERNELS(5)
