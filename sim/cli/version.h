/* Which program this is. */
#ifndef SIM_CLI_VERSION_H
#define SIM_CLI_VERSION_H

extern const char eptsim_version[];	/* release */
extern const char eptsim_commit[];	/* git commit, or "unknown" */
extern const char eptsim_datadir[];	/* where "make install" puts data */

#endif /* SIM_CLI_VERSION_H */
