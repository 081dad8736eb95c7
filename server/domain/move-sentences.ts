import { assertNever } from "../kernel/assert.ts";
import type { ReasonCode } from "./reasons.ts";
import { budgetName, clause, type Read } from "./sentence-facts.ts";

export type MoveCode = Extract<
	ReasonCode,
	| `moving_${string}`
	| `evicted_${string}`
	| "returning_home"
	| "moved_by_person"
	| "site_failover"
	| "instance_idle"
	| "gpu_utilisation_low"
	| "budget_cap_reached"
>;

/** Why a running job had to leave its placement. */
export function moveWords(code: MoveCode, r: Read): string {
	const saving = clause(r.money("savingMicroUsd"), (m) => `, which saves an expected ${m}`);
	switch (code) {
		case "returning_home":
			return `Returns to owned GPUs${clause(r.text("poolId"), (p) => ` of pool ${p}`)} at its checkpoint${saving}`;
		case "moving_cheaper":
			return `Continues on a cheaper offer${clause(r.text("offerId"), (o) => ` (${o})`)} from its checkpoint${saving}`;
		case "moving_together":
			return `Continues from its checkpoint on another node of pool ${r.text("poolId") ?? "its site"}, to make room for ${r.text("forJobId") ?? "a bigger job"}`;
		case "moving_for_deadline":
			return `Continues where its deadline is safe${clause(r.text("offerId"), (o) => ` (${o})`)}${clause(r.duration("slackMs"), (d) => `; ${d} of slack remain`)}`;
		case "moved_by_person":
			return `Moved by ${r.text("by") ?? "a person"}: continues ${r.text("poolId") === null ? `in the cloud${clause(r.text("offerId"), (o) => ` (${o})`)}` : `on owned GPUs of pool ${r.text("poolId")}`}`;
		case "site_failover":
			return `Continues elsewhere: ${r.text("siteId") ?? "its site"} does not respond, and the job is critical`;
		case "evicted_for_deadline":
			return `Makes room for ${r.text("forJobId") ?? "a job"}, which would otherwise miss its deadline; the job is queued again`;
		case "evicted_for_newcomer":
			return `Makes room for ${r.text("forJobId") ?? "a job"}, which is much shorter and would otherwise wait for a cloud machine; the job continues from its checkpoint`;
		case "instance_idle":
			return `Stopped: its instance was idle${clause(r.duration("idleMs"), (d) => ` for ${d}`)}${clause(r.duration("limitMs"), (d) => `, and rule ${r.text("ruleId") ?? "of the policy"} allows ${d}`)}`;
		case "gpu_utilisation_low":
			return `Stopped: its GPUs were used ${r.count("percent") ?? "less than allowed"}%${clause(r.duration("overMs"), (d) => ` over ${d}`)}${clause(r.count("belowPercent"), (p) => `, and rule ${r.text("ruleId") ?? "of the policy"} requires ${p}%`)}`;
		case "budget_cap_reached":
			return `Stopped at its checkpoint: ${budgetName(r)} has reached its cap${clause(r.money("capMicroUsd"), (m) => ` of ${m}`)}`;
		default:
			return assertNever(code, "reason code");
	}
}
