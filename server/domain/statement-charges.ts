import type { ChargeKind } from "./charge.ts";
import type { StatementLineKey, WasteKey } from "./statement.ts";
import type { CapacityType } from "./vocabulary.ts";

/** Filters for charges; `withoutIdle`: excludes owned hardware that no job used. */
export interface ChargesWith {
	capacityType?: CapacityType[];
	kind?: ChargeKind[];
	class?: ""[];
	withoutIdle?: true;
}

const RUNNING: ChargeKind[] = ["compute", "boot", "staging"];

/** The charges of a line: exactly those that lineOf (accounting/statement-facts.ts) assigns to it, as a test verifies. */
export function chargesOfLine(line: StatementLineKey): ChargesWith {
	switch (line) {
		case "idle":
			return { capacityType: ["owned"], class: [""] };
		case "owned":
			return { capacityType: ["owned"], kind: RUNNING, withoutIdle: true };
		case "spot":
		case "on_demand":
		case "reserved":
			return { capacityType: [line], kind: RUNNING };
		case "egress":
		case "storage":
		case "commitment":
		case "credit":
		case "tax":
		case "adjustment":
		case "kept_warm":
			return { kind: [line], withoutIdle: true };
	}
}

/** Attempt end states for a kind of waste, as a charge filter (services/reporting/spend/lost-work.ts). */
export const LOST_OF_WASTE = {
	failed: "failed",
	interrupted: "cut_short",
	cancelled: "cancelled",
} as const satisfies Record<Exclude<WasteKey, "idle">, string>;
