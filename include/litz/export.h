// Marks what liblitz.so shows to its users.
#pragma once

#define LITZ_API __attribute__((visibility("default")))
