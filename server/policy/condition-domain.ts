import { JOB_FIELDS, QUOTE_FIELDS } from "./job-facts.ts";

/**
 * Remaining values of one field of a job after some conditions: an interval minus points, some texts or all but some,
 * true or false.
 */
export type Domain =
	| { kind: "numbers"; low: number; lowOpen: boolean; high: number; highOpen: boolean; not: readonly number[]; whole: boolean }
	| { kind: "texts"; only: readonly string[] | null; not: readonly string[] }
	| { kind: "flag"; value: boolean };

/** One constraint on a field. */
export type Demand =
	| { op: "<" | "<=" | ">" | ">=" | "==" | "!="; value: number }
	| { op: "==" | "!="; value: string }
	| { op: "is"; value: boolean };

/** Integer fields with the bounds of the job file; every other number is 0 or more. */
const NUMBERS: Readonly<Record<string, { low: number; high: number; whole: boolean }>> = {
	"job.priority": { low: 0, high: 100, whole: true },
	"job.gpus": { low: 1, high: Number.POSITIVE_INFINITY, whole: true },
	"job.nodes": { low: 1, high: Number.POSITIVE_INFINITY, whole: true },
	"job.gpusPerNode": { low: 1, high: Number.POSITIVE_INFINITY, whole: true },
};
const MEASURED = { low: 0, high: Number.POSITIVE_INFINITY, whole: false };

/** All possible values of the field. */
function everything(field: string, demand: Demand): Domain {
	if (demand.op === "is") return { kind: "flag", value: demand.value };
	if (typeof demand.value === "number") {
		const { low, high, whole } = NUMBERS[field] ?? MEASURED;
		return { kind: "numbers", low, lowOpen: false, high, highOpen: false, not: [], whole };
	}
	return { kind: "texts", only: closedValuesOf(field), not: [] };
}

function closedValuesOf(field: string): readonly string[] | null {
	const dot = field.indexOf(".");
	const [root, name] = [field.slice(0, dot), field.slice(dot + 1)];
	const fields: Readonly<Record<string, { values?: readonly string[] }>> =
		root === "job" ? JOB_FIELDS : root === "quote" ? QUOTE_FIELDS : {};
	return Object.hasOwn(fields, name) ? (fields[name]?.values ?? null) : null;
}

/**
 * The domain narrowed by one more condition; null when no value meets all of them. `known`: the result of earlier conditions.
 */
export function narrowed(field: string, known: Domain | undefined, demand: Demand): Domain | null {
	const domain = known ?? everything(field, demand);
	if (domain.kind === "flag") return demand.op === "is" && demand.value === domain.value ? domain : null;
	if (domain.kind === "texts")
		return demand.op !== "is" && typeof demand.value === "string" ? withText(domain, demand.op, demand.value) : domain;
	return demand.op !== "is" && typeof demand.value === "number" ? withNumber(domain, demand.op, demand.value) : domain;
}

type Texts = Extract<Domain, { kind: "texts" }>;

function withText(domain: Texts, op: string, value: string): Texts | null {
	const allowed = (text: string) => (op === "==" ? text === value : text !== value);
	if (domain.only) {
		const only = domain.only.filter(allowed);
		return only.length > 0 ? { ...domain, only } : null;
	}
	if (op === "!=") return { ...domain, not: [...domain.not, value] };
	return domain.not.includes(value) ? null : { ...domain, only: [value] };
}

type Numbers = Extract<Domain, { kind: "numbers" }>;

function withNumber(domain: Numbers, op: string, value: number): Numbers | null {
	let next = domain;
	if (op === "!=") next = { ...next, not: [...next.not, value] };
	if (op === "==" || op === ">" || op === ">=") next = raised(next, value, op === ">");
	if (op === "==" || op === "<" || op === "<=") next = lowered(next, value, op === "<");
	return next.whole ? shrunk(next) : isEmpty(next) ? null : next;
}

function raised(domain: Numbers, low: number, open: boolean): Numbers {
	if (low < domain.low || (low === domain.low && (domain.lowOpen || !open))) return domain;
	return { ...domain, low, lowOpen: open };
}

function lowered(domain: Numbers, high: number, open: boolean): Numbers {
	if (high > domain.high || (high === domain.high && (domain.highOpen || !open))) return domain;
	return { ...domain, high, highOpen: open };
}

/** Bounds of an integer field, moved inward to the next integer that is not excluded. */
function shrunk(domain: Numbers): Numbers | null {
	let low = domain.lowOpen ? Math.floor(domain.low) + 1 : Math.ceil(domain.low);
	let high = domain.highOpen ? Math.ceil(domain.high) - 1 : Math.floor(domain.high);
	// each step uses up one of the excluded points
	while (low <= high && domain.not.includes(low)) low++;
	while (low <= high && domain.not.includes(high)) high--;
	return low > high ? null : { ...domain, low, lowOpen: false, high, highOpen: false };
}

function isEmpty({ low, lowOpen, high, highOpen, not }: Numbers): boolean {
	return low > high || (low === high && (lowOpen || highOpen || not.includes(low)));
}

/** The values allowed by both; null if there are none. */
export function intersected(field: string, a: Domain | undefined, b: Domain): Domain | null {
	if (!a) return b;
	if (b.kind === "flag") return narrowed(field, a, { op: "is", value: b.value });
	let left: Domain | null = a;
	if (b.kind === "texts") {
		if (b.only && left.kind === "texts") left = withOnly(left, b.only);
		for (const value of b.not) left = left && narrowed(field, left, { op: "!=", value });
		return left;
	}
	left = narrowed(field, left, { op: b.lowOpen ? ">" : ">=", value: b.low });
	left = left && narrowed(field, left, { op: b.highOpen ? "<" : "<=", value: b.high });
	for (const value of b.not) left = left && narrowed(field, left, { op: "!=", value });
	return left;
}

function withOnly(domain: Texts, texts: readonly string[]): Texts | null {
	const only = texts.filter((text) => !domain.not.includes(text) && (domain.only === null || domain.only.includes(text)));
	return only.length > 0 ? { ...domain, only } : null;
}
