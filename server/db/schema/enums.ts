import { pgEnum } from "drizzle-orm/pg-core";
import { CHARGE_KINDS } from "../../domain/charge.ts";
import { ADOPTION_STATES, ATTEMPT_STATES, HOLD_STATES, INSTANCE_STATES, JOB_STATES } from "../../domain/states.ts";
import { CAPACITY_TYPES, PROVIDERS, ROLES, WORKLOAD_CLASSES } from "../../domain/vocabulary.ts";

export const jobState = pgEnum("job_state", JOB_STATES);
export const attemptState = pgEnum("attempt_state", ATTEMPT_STATES);
export const instanceState = pgEnum("instance_state", INSTANCE_STATES);
export const adoptionState = pgEnum("adoption_state", ADOPTION_STATES);
export const holdState = pgEnum("hold_state", HOLD_STATES);
export const provider = pgEnum("provider", PROVIDERS);
export const capacityType = pgEnum("capacity_type", CAPACITY_TYPES);
export const workloadClass = pgEnum("workload_class", WORKLOAD_CLASSES);
export const role = pgEnum("role", ROLES);
export const chargeKind = pgEnum("charge_kind", CHARGE_KINDS);
export const granularity = pgEnum("granularity", ["hour", "day", "month"]);
export const logStream = pgEnum("log_stream", ["stdout", "stderr", "spillway"]);
