import type { StepState } from "#server/domain/states.ts";

export const NO_COUNTS: Readonly<Record<StepState, number>> = {
	waiting: 0,
	submitted: 0,
	succeeded: 0,
	failed: 0,
	skipped: 0,
	cancelled: 0,
};
