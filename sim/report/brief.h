/* A record in few words: what stands in a picture, where the lane is the pCPU. */
#ifndef SIM_REPORT_BRIEF_H
#define SIM_REPORT_BRIEF_H

#include "sim/core/probe.h"

/* Longest caption; longer ones are cut. */
#define BRIEF_MAX	96

/**
 * brief_probe() - say what a record is in few words
 * @r: record of a kind in STORY_WANTS
 * @to: BRIEF_MAX bytes
 */
void brief_probe(const struct probe_rec *r, char *to);

#endif /* SIM_REPORT_BRIEF_H */
