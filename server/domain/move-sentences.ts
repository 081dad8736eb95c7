import { assertNever } from "../kernel/assert.ts";
import type { ReasonCode } from "./reasons.ts";
import { budgetName, clause, type Read } from "./sentence-facts.ts";

export type MoveCode = Extract<
	ReasonCode,
	| `moving_${string}`
	| `evicted_${string}`
	| "returning_home"
	| "site_failover"
	| "instance_idle"
	| "gpu_utilisation_low"
	| "budget_cap_reached"
>;

/** Why a running job was made to leave its place. */
export function moveWords(code: MoveCode, r: Read): string {
	const saving = clause(r.money("savingMicroUsd"), (m) => `, which saves an expected ${m}`);
	switch (code) {
		case "returning_home":
			return `Goes home to pool ${r.text("poolId") ?? "there"} at its checkpoint${saving}`;
		case "moving_cheaper":
			return `Goes on at a cheaper offer${clause(r.text("offerId"), (o) => ` (${o})`)} from its checkpoint${saving}`;
		case "moving_together":
			return `Goes on at its checkpoint on another node of pool ${r.text("poolId") ?? "its site"}, so that ${r.text("forJobId") ?? "a bigger job"} finds room at home`;
		case "moving_for_deadline":
			return `Goes on where its deadline is safe${clause(r.text("offerId"), (o) => ` (${o})`)}${clause(r.duration("slackMs"), (d) => `; ${d} of slack are left`)}`;
		case "site_failover":
			return `Goes on elsewhere: ${r.text("siteId") ?? "its site"} does not answer, and the job is critical`;
		case "evicted_for_deadline":
			return `Makes room for ${r.text("forJobId") ?? "a job"}, which would miss its deadline otherwise; the job is queued again`;
		case "evicted_for_newcomer":
			return `Makes room for ${r.text("forJobId") ?? "a job"}, which is short beside it and would have to wait for a cloud machine; the job goes on from its checkpoint`;
		case "instance_idle":
			return `Stopped: its instance did nothing${clause(r.duration("idleMs"), (d) => ` for ${d}`)}${clause(r.duration("limitMs"), (d) => `, and rule ${r.text("ruleId") ?? "of the policy"} allows ${d}`)}`;
		case "gpu_utilisation_low":
			return `Stopped: its GPUs were used ${r.count("percent") ?? "less than allowed"}%${clause(r.duration("overMs"), (d) => ` over ${d}`)}${clause(r.count("belowPercent"), (p) => `, and rule ${r.text("ruleId") ?? "of the policy"} asks for ${p}%`)}`;
		case "budget_cap_reached":
			return `Stopped at its checkpoint: ${budgetName(r)} has reached its cap${clause(r.money("capMicroUsd"), (m) => ` of ${m}`)}`;
		default:
			return assertNever(code, "reason code");
	}
}
