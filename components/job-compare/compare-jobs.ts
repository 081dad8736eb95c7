import { formatCarbonParts, joinQuantity } from "#components/emissions/format-carbon.ts";
import { formatMoney } from "#components/money/format-money.ts";
import { CAPACITY_WORD } from "#components/place/place.tsx";
import { shownPlace } from "#components/place/placement.ts";
import { formatExact, formatSpan } from "#components/time/format-time.ts";
import type { JobDetail, Outputs } from "#components/trpc/outputs.ts";
import { formatThreeDigits } from "#components/ui/format-number.ts";

/** One quantity of two jobs; null if a job does not have it. */
export type ComparedRow = { label: string; a: string | null; b: string | null; differs: boolean };
export type ComparedGroup = { id: "outcome" | "place" | "cost" | "metrics" | "file"; title: string; rows: ComparedRow[] };

export type ComparedJob = Pick<
	JobDetail,
	| "state"
	| "reason"
	| "attemptList"
	| "gpus"
	| "submittedAt"
	| "startedAt"
	| "finishedAt"
	| "costMicroUsd"
	| "emissionsGrams"
	| "spec"
	| "placement"
>;
type Metrics = Pick<Outputs["job"]["metrics"][number], "key" | "last">[];
type Side = { job: ComparedJob; metrics: Metrics };

/** Differences between two jobs: how they ended, where and how long they ran, their cost, metrics and files. */
export function compareJobs(a: Side, b: Side, nowMs: number): ComparedGroup[] {
	const row = (label: string, of: (side: Side) => string | null): ComparedRow => {
		const [left, right] = [of(a), of(b)];
		return { label, a: left, b: right, differs: left !== right };
	};
	const facts = FACTS.map(({ id, title, rows }) => ({
		id,
		title,
		rows: rows.map(({ label, of }) => row(label, (side) => of(side.job, nowMs))),
	}));
	const metrics = [...new Set([...a.metrics, ...b.metrics].map(({ key }) => key))].map((key) =>
		row(key, (side) => lastOf(side.metrics, key)),
	);
	const [specA, specB] = [flatten(a.job.spec), flatten(b.job.spec)];
	const paths = [...new Set([...specA.keys(), ...specB.keys()])].filter((path) => path !== "name");
	const spec = paths.map((path) => row(path, ({ job }) => (job === a.job ? specA : specB).get(path) ?? null));
	const groups: ComparedGroup[] = [
		...facts,
		{ id: "metrics", title: "Last reported metrics", rows: metrics },
		{ id: "file", title: "Job file", rows: spec },
	];
	return groups.filter(({ rows }) => rows.length > 0);
}

type Fact = { label: string; of: (job: ComparedJob, nowMs: number) => string | null };

const FACTS: readonly { id: ComparedGroup["id"]; title: string; rows: readonly Fact[] }[] = [
	{
		id: "outcome",
		title: "Outcome",
		rows: [
			{ label: "State", of: (job) => job.state },
			{ label: "Reason", of: (job) => job.reason.message },
			{ label: "Exit code", of: (job) => job.attemptList.at(-1)?.exitCode?.toString() ?? null },
			{ label: "Attempts", of: (job) => String(job.attemptList.length) },
		],
	},
	{
		id: "place",
		title: "Place",
		rows: [
			{ label: "Location", of: (job) => placeOf(job) },
			{ label: "Machine", of: (job) => lastPlacement(job)?.instanceType ?? lastPlacement(job)?.accelerator ?? null },
			{ label: "GPUs", of: (job) => String(job.gpus) },
		],
	},
	{
		id: "cost",
		title: "Time and cost",
		rows: [
			{ label: "Submitted", of: (job) => formatExact(Date.parse(job.submittedAt)) },
			{ label: "Wait", of: (job, nowMs) => spanOf(job.submittedAt, job.startedAt ?? job.finishedAt, nowMs) },
			{ label: "Run time", of: (job, nowMs) => (job.startedAt === null ? null : spanOf(job.startedAt, job.finishedAt, nowMs)) },
			{ label: "Cost", of: (job) => formatMoney(job.costMicroUsd, "posted") },
			{ label: "CO2", of: (job) => joinQuantity(formatCarbonParts(job.emissionsGrams)) },
		],
	},
];

const lastPlacement = (job: ComparedJob) => job.attemptList.at(-1)?.placement ?? job.placement;

function placeOf(job: ComparedJob): string | null {
	const placement = lastPlacement(job);
	if (!placement) return null;
	const { capacity, provider, region } = shownPlace(placement);
	return [provider, region, capacity === "owned" ? null : CAPACITY_WORD[capacity]].filter((part) => part !== null).join(" ");
}

/** From one instant to another, or until now, marked "so far". */
function spanOf(from: string, to: string | null, nowMs: number): string {
	const span = formatSpan((to === null ? nowMs : Date.parse(to)) - Date.parse(from));
	return to === null ? `${span} so far` : span;
}

function lastOf(metrics: Metrics, key: string): string | null {
	const last = metrics.find((series) => series.key === key)?.last;
	return last ? `${formatThreeDigits(last.value)} at step ${last.step.toLocaleString("en-US")}` : null;
}

/** The values of a file by path, such as `resources.gpus`. Empty ones are left out; lists of plain values are one value. */
function flatten(value: unknown, path = "", into = new Map<string, string>()): Map<string, string> {
	if (Array.isArray(value) && value.some((item) => typeof item === "object" && item !== null)) {
		for (const [i, item] of value.entries()) flatten(item, `${path}[${i}]`, into);
	} else if (typeof value === "object" && value !== null && !Array.isArray(value)) {
		for (const [key, item] of Object.entries(value)) flatten(item, path ? `${path}.${key}` : key, into);
	} else {
		const text = textOf(value, path);
		if (text !== "") into.set(path.replace(/Ms$/, ""), text);
	}
	return into;
}

function textOf(value: unknown, path: string): string {
	if (value === null || value === undefined) return "";
	if (Array.isArray(value)) return value.join(" ");
	if (path === "deadlineMs" && typeof value === "number") return formatExact(value);
	return path.endsWith("Ms") && typeof value === "number" ? formatSpan(value) : String(value);
}
