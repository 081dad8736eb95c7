import { assertNever } from "../kernel/assert.ts";
import type { RemovalCode } from "./decision.ts";
import { type MoveCode, moveWords } from "./move-sentences.ts";
import type { ReasonCode } from "./reasons.ts";
import { removalWords } from "./removal-sentences.ts";
import { clause, plural, type Read } from "./sentence-facts.ts";

type WaitingOrPlacedCode =
	| "submitted"
	| "approval_required"
	| "budget_exceeded"
	| "cap_exceeded"
	| "capacity_backoff"
	| "deferred_cheaper_hour"
	| "deferred_greener_hour"
	| "copying_data_ahead"
	| "copying_data_home"
	| "no_progress"
	| "held_by_person"
	| "started"
	| `waiting_${string}`
	| `placed_${string}`;

/** How a job or attempt ended. */
export function endWords(code: Exclude<ReasonCode, WaitingOrPlacedCode>, r: Read): string {
	switch (code) {
		case "completed":
			return "Finished: the command ended with exit code 0";
		case "exit_nonzero":
			return `Failed: the command ended with exit code ${r.count("exitCode") ?? "other than 0"}`;
		case "killed_by_signal":
			return `Failed: the command was killed by signal ${r.text("signal") ?? "unknown"}`;
		case "max_duration_exceeded":
			return `Stopped: it ran ${r.duration("ranMs") ?? "too long"}${clause(r.duration("maxMs"), (d) => `, over its maximum of ${d}`)}`;
		case "cancelled_by_person":
			return `Cancelled by ${r.text("by") ?? "a person"}`;
		case "no_placement_possible":
			return `No place can ever run this job${clause(r.text("homeCause"), (c) => `. At home: ${causeText(c as RemovalCode, r, "Home")}`)}${clause(r.text("cloudCause"), (c) => `. In the cloud: ${causeText(c as RemovalCode, r, "Cloud")}`)}${namesInstead(r)}`;
		case "staging_failed":
			return `Failed: its data could not be copied to where it runs${message(r)}`;
		case "outputs_not_kept":
			return `Failed: the command succeeded, but its results could not be kept${message(r)}`;
		case "image_pull_failed":
			return `Failed: its image could not be fetched where it runs${message(r)}`;
		case "out_of_memory":
			return "Failed: the command was killed because memory ran out";
		case "command_not_started":
			return `Failed: the command could not be started${message(r)}`;
		case "too_many_attempts":
			return `Failed: gave up after ${plural(r.count("attempts") ?? 0, "attempt")}`;
		case "adoption_ended":
			return adoptionWords(r.text("why"));
		case "spot_interruption":
			return `Interrupted: the provider reclaims the spot machine${clause(r.instant("atMs"), (t) => ` at ${t}`)}; the job is queued again`;
		case "returning_home":
		case "moving_cheaper":
		case "moving_together":
		case "moving_for_deadline":
		case "moved_by_person":
		case "site_failover":
		case "evicted_for_deadline":
		case "evicted_for_newcomer":
		case "instance_idle":
		case "gpu_utilisation_low":
		case "budget_cap_reached":
			return moveWords(code, r);
		default:
			return machineWords(code, r);
	}
}

/** For jobs that request an accelerator that no site has. */
function namesInstead(r: Read): string {
	const near = r.text("nearestAccelerator");
	return near ? `. The closest known name: ${near}` : clause(r.text("knownAccelerators"), (names) => `. Known accelerators: ${names}`);
}

/** Why an adopted job goes back to its own cluster. */
export function adoptionWords(why: string | null): string {
	switch (why) {
		case "home_started":
			return "Left on its own cluster, which started it first";
		case "home_over":
			return "Someone ended it on its own cluster, so it was also ended here";
		case "home_took_back":
			return "Returned to its own cluster, where someone released it";
		case "home_holds":
			return "Left on its own cluster, where someone holds it";
		case "home_frees":
			return "Returned to its own cluster, which has room for it";
		default:
			return "Returned to its own cluster: no cloud placement succeeded";
	}
}

type MachineCode = Exclude<
	Extract<
		ReasonCode,
		| (`instance_${string}` | `launch_${string}` | `site_${string}`)
		| ("agent_silent" | "gang_member_failed" | "job_finished" | "orphan_found" | "kept_warm_over")
	>,
	MoveCode
>;

/** What happened to an instance, a launch or a site. */
function machineWords(code: MachineCode, r: Read): string {
	switch (code) {
		case "instance_vanished":
			return `The machine disappeared before the command reported its end${clause(r.text("stateReason"), (s) => ` (${s})`)}${clause(r.instant("lastSeenMs"), (t) => `; last seen ${t}`)}`;
		case "instance_expired":
			return `The instance reached its maximum lifetime${clause(r.instant("expiresAtMs"), (t) => ` at ${t}`)}`;
		case "instance_not_ready_in_time":
			return `The instance was not ready${clause(r.duration("waitedMs"), (d) => ` after ${d}`)} and is released`;
		case "agent_silent":
			return `The agent on the instance was silent${clause(r.duration("silentMs"), (d) => ` for ${d}`)}; ${r.text("fenced") === null ? "" : "its command is paused and cannot resume, so the job can continue elsewhere; "}the instance is released`;
		case "gang_member_failed":
			return r.text("cause") === null
				? memberFailure(r)
				: `The machine is released because ${clause(r.count("rank"), (n) => `rank ${n}`) || "another rank"} of its gang ended`;
		case "launch_refused_capacity":
			return `The provider has no capacity for this offer now${message(r)}`;
		case "launch_refused_quota":
			return `The provider's quota allows no more of these instances${message(r)}`;
		case "launch_refused":
			return `The provider refused the launch${message(r)}`;
		case "launch_never_happened":
			return "The launch was abandoned before the provider created anything";
		case "site_stopped":
			return `The site was stopped${clause(r.text("siteId"), (s) => `: ${s}`)}`;
		case "site_lost":
			return `The site no longer lists the attempt${clause(r.text("siteId"), (s) => `: ${s}`)}`;
		case "job_finished":
			return "The job is done; the machine is released";
		case "kept_warm_over":
			return `Kept ready${clause(r.text("ruleId"), (id) => ` by rule ${id}`)} and released without a job: ${WARM_ENDS[r.text("why") ?? ""] ?? "no longer needed"}`;
		case "orphan_found":
			return `A machine with our tag belonged to no job and is terminated${clause(r.text("providerInstanceId"), (i) => `: ${i}`)}${clause(r.text("region"), (g) => ` in ${g}`)}`;
		default:
			return assertNever(code, "reason code");
	}
}

const WARM_ENDS: Readonly<Record<string, string>> = {
	idle_limit: "its maximum idle time is over",
	not_expected: "no job is expected to need it",
	budget: "the rule's budget is used up",
	rule_removed: "the policy no longer has the rule",
	stop_refused: "the provider did not stop it",
};

/** The first command in a gang to fail, which fails the job. */
function memberFailure(r: Read): string {
	const which = `rank ${r.count("rank") ?? "unknown"}${clause(r.count("nodes"), (n) => ` (of ${n})`)}`;
	const how =
		clause(r.text("message"), (m) => ` never ran: ${m.replace(/\.$/, "")}`) ||
		clause(r.text("outOfMemory"), () => " was killed because memory ran out") ||
		clause(r.text("signal"), (s) => ` was killed by signal ${s}`) ||
		` ended with exit code ${r.count("exitCode") ?? "other than 0"}`;
	return `Failed: the command of ${which}${how}; the other machines were stopped`;
}

function message(r: Read): string {
	return clause(r.text("message"), (m) => `: ${m.replace(/\.$/, "")}`);
}

/** Why one side has no machine for a job: the request and the largest machine available. */
function causeText(why: RemovalCode, r: Read, side: "Home" | "Cloud"): string {
	switch (why) {
		case "hardware_gpus":
			return `it requests ${plural(r.count("askedGpus") ?? 0, "GPU")} on one machine; the largest has ${r.count(`largest${side}Gpus`) ?? "fewer"}`;
		case "hardware_accelerator":
			return `none has ${r.text("askedAccelerators") ?? "the requested accelerator"}`;
		case "hardware_cpus":
			return `it requests ${r.count("askedCpus") ?? "more"} CPUs${clause(r.count(`largest${side}Cpus`), (n) => `; the largest machine has ${n}`)}`;
		case "hardware_memory":
			return `it requests ${r.count("askedMemoryGiB") ?? "more"} GiB of memory${clause(r.count(`largest${side}MemoryGiB`), (n) => `; the largest machine has ${n} GiB`)}`;
		case "hardware_gpu_memory":
			return `no GPU has the requested ${r.count("askedGiB") ?? ""} GiB of memory`.replace("  ", " ");
		case "hardware_bf16":
			return "no accelerator supports bfloat16";
		case "hardware_interconnect":
			return `no machines that could run it have a high-bandwidth interconnect`;
		case "hardware_slice":
			return `no TPU slice that could run it has ${clause(r.count("askedNodes"), (n) => `${n} `)}hosts`;
		case "mount_missing":
			return `no site that could run it has ${clause(r.text("askedMounts"), (names) => `the mounts ${names}`) || "its mounts"}${clause(r.text("knownMounts"), (names) => `; known: ${names}`)}`;
		case "multi_node_unsupported":
			return `it cannot start ${clause(r.count("askedNodes"), (n) => `${n} `)}machines together`;
		default:
			return removalWords(why, r.text(side === "Home" ? "homeRuleId" : "cloudRuleId"), r);
	}
}
