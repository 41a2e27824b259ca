/*
 * Calls that nobody needs, made unusable: included by the compiler's command
 * line in front of every file.  Declared here rather than poisoned, so that
 * no system header has to come first and feature-test macros keep working.
 * tests/tidy/banned.awk bans more, by folder.
 */
#ifndef SIM_BASE_BANNED_H
#define SIM_BASE_BANNED_H

#define BANNED(instead)	__attribute__((deprecated("banned: " instead)))

char *strcpy(char *to, const char *from) BANNED("use snprintf() or memcpy()");
char *strcat(char *to, const char *from) BANNED("use snprintf()");
int sprintf(char *to, const char *fmt, ...) BANNED("use snprintf()");
int vsprintf(char *to, const char *fmt, __builtin_va_list ap)
	BANNED("use vsnprintf()");
char *gets(char *to) BANNED("use getline()");
char *strtok(char *s, const char *delim) BANNED("use strtok_r() or strcspn()");
int rand(void) BANNED("use sim/base/rng.h");
void srand(unsigned int seed) BANNED("use sim/base/rng.h");
long random(void) BANNED("use sim/base/rng.h");
int atoi(const char *s) BANNED("use strtoull() and check the end");
double atof(const char *s) BANNED("use strtod() and check the end");
int system(const char *command) BANNED("use posix_spawnp()");

#undef BANNED

#endif /* SIM_BASE_BANNED_H */
