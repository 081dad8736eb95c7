/**
 * Why something is in its state: a code from a closed list, with facts. `sentenceOf` is the only place that builds
 * sentences from it.
 */
export const REASON_CODES = [
	// a waiting job
	"submitted",
	"waiting_for_home",
	"waiting_to_burst",
	"waiting_no_allowed_offer",
	"budget_exceeded",
	"cap_exceeded",
	"approval_required",
	"waiting_not_approved",
	"capacity_backoff",
	"waiting_for_spot",
	"deferred_cheaper_hour",
	"deferred_greener_hour",
	"copying_data_ahead",
	"copying_data_home",
	"no_progress",
	"held_by_person",
	// a placed job
	"placed_home",
	"placed_cloud",
	"started",
	// ends
	"completed",
	"exit_nonzero",
	"killed_by_signal",
	"max_duration_exceeded",
	"cancelled_by_person",
	"no_placement_possible",
	"out_of_memory",
	"staging_failed",
	"outputs_not_kept",
	"image_pull_failed",
	"command_not_started",
	"too_many_attempts",
	// an attempt or instance that ended early
	"spot_interruption",
	"instance_vanished",
	"instance_expired",
	"instance_not_ready_in_time",
	"agent_silent",
	"gang_member_failed",
	"launch_refused_capacity",
	"launch_refused_quota",
	"launch_refused",
	"launch_never_happened",
	"evicted_for_deadline",
	"evicted_for_newcomer",
	"returning_home",
	"moving_cheaper",
	"moving_together",
	"moving_for_deadline",
	"moved_by_person",
	"site_failover",
	"instance_idle",
	"gpu_utilisation_low",
	"budget_cap_reached",
	"site_stopped",
	"site_lost",
	"job_finished",
	"orphan_found",
	"kept_warm_over",
	"adoption_ended",
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

/** Facts are small, JSON-safe and have their unit in the name; money is a decimal string of micro-dollars. */
export interface Reason {
	code: ReasonCode;
	facts: Record<string, string | number | boolean | null>;
}

export function reason(code: ReasonCode, facts: Reason["facts"] = {}): Reason {
	return { code, facts };
}
