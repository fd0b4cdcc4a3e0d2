#define BOOST_TEST_MODULE samebits
#include <boost/test/unit_test.hpp>
