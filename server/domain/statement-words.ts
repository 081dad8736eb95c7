import type { SavingKey, StatementContent, StatementInCurrency, StatementLineKey, StatementState, WasteKey } from "./statement.ts";

/** Display text for the keys of a statement, shared by the page, the PDF, the CSV and the command line. */
export const LINE_WORDS: Record<StatementLineKey, string> = {
	owned: "Owned hardware, used by jobs",
	idle: "Owned hardware, idle",
	spot: "Cloud, spot",
	on_demand: "Cloud, on demand",
	reserved: "Cloud, reserved",
	kept_warm: "Cloud, kept warm without a job",
	egress: "Transfer out of clouds",
	storage: "Disks and storage",
	commitment: "Commitments not used",
	credit: "Credits of providers",
	tax: "Taxes",
	adjustment: "Adjustments",
};

export const SIDE_WORDS = { owned: "Owned hardware", cloud: "Cloud" } as const;

export const SAVING_WORDS: Record<SavingKey, string> = {
	spot_against_on_demand: "Spot against on-demand",
	home_against_cloud: "Home against the cloud",
	burst_against_waiting: "Leaving home against waiting",
};

export const WASTE_WORDS: Record<WasteKey, string> = {
	failed: "Work that failed",
	interrupted: "Work that was interrupted",
	cancelled: "Work that was cancelled",
	idle: "Idle owned hardware",
};

export const STATE_WORDS: Record<StatementState, string> = {
	open: "open",
	to_close: "to be closed",
	closed: "closed",
	changed: "changed since closing",
	signed: "signed",
};

export const WASTE_METHOD =
	"Whole attempts that ended so in this month, with all that they were charged; what of their work lives on in a checkpoint is not taken off. " +
	"Failed, interrupted and cancelled work is part of the lines above.";

export const CARBON_METHOD =
	"Operational emissions are energy × the grid's intensity in that hour and region where it is known, else its yearly average (location-based), " +
	"or × what the power contract says (market-based); embodied is the share of the machines' manufacture by time and by GPUs.";

const MONTHS = [
	...["January", "February", "March", "April", "May", "June", "July", "August", "September"],
	...["October", "November", "December"],
] as const;

/** "November 2026" of `2026-11`. */
export function monthWords(month: string): string {
	const [year = "", number = ""] = month.split("-");
	return `${MONTHS[Number(number) - 1] ?? number} ${year}`;
}

/** "The company", or "Team risk". */
export const teamTitle = (team: string): string => (team === "" ? "The company" : `Team ${team}`);

/** Label for a line of the difference between two versions. */
export function differenceWords(section: string, key: string): string {
	switch (section) {
		case "line":
			return LINE_WORDS[key as StatementLineKey] ?? key;
		case "saving":
			return `Saving: ${SAVING_WORDS[key as SavingKey] ?? key}`;
		case "waste":
			return WASTE_WORDS[key as WasteKey] ?? key;
		case "team":
			return key === "" ? "No team" : `Team ${key}`;
		case "project":
			return key === "" ? "No project" : `Project ${key}`;
		case "budget":
			return `Budget ${key}`;
		case "bill":
			return `Bill of ${key}`;
		default:
			return "Total";
	}
}

/**
 * Labels of a statement when one of its two months is incomplete because the ledger began in it. `before` is for the
 * month it is compared with: its change is not meaningful. Null: complete, or without charges.
 */
/** The rates of a statement in another currency, on screen, in the PDF and the CSV. */
export function ratesWords({ rates }: StatementInCurrency): string {
	const [first, last] = [rates[0], rates.at(-1)];
	if (!first || !last) return "Nothing to convert.";
	const dates = first.date === last.date ? `of ${first.date}` : `of ${first.date} to ${last.date}`;
	return `Converted day by day at the rates ${dates}, from ${[...new Set(rates.map(({ source }) => source))].join("; ")}.`;
}

export function partialMonthLabels(content: Pick<StatementContent, "fromMs" | "zone" | "ledgerFromMs">): {
	month: string | null;
	before: string | null;
} {
	const { fromMs, zone, ledgerFromMs } = content;
	if (ledgerFromMs === undefined || ledgerFromMs === fromMs) return { month: null, before: null };
	const day = (ms: number, options: Intl.DateTimeFormatOptions) => new Date(ms).toLocaleDateString("en-GB", { timeZone: zone, ...options });
	const whole = { day: "numeric", month: "short" } as const;
	if (ledgerFromMs > fromMs) return { month: `from ${day(ledgerFromMs, whole)} only`, before: null };
	return { month: null, before: `${day(ledgerFromMs, { day: "numeric" })}–${day(fromMs - 1, whole)} only, not comparable` };
}
