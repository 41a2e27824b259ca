#include "sim/cli/version.h"

#ifndef EPTSIM_COMMIT
#define EPTSIM_COMMIT "unknown"
#endif
#ifndef EPTSIM_DATADIR
#define EPTSIM_DATADIR "/usr/local/share/eptsim"
#endif

const char eptsim_version[] = "0.1.0";
const char eptsim_commit[] = EPTSIM_COMMIT;
const char eptsim_datadir[] = EPTSIM_DATADIR;
