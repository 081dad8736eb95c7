import { createHash } from "node:crypto";
import { hash32 } from "#server/kernel/random.ts";
import type { DurationStat, ForeignJob, PendingJob, RunningAttempt, Snapshot } from "#server/scheduling/types.ts";
import { textOf } from "./snapshot-text.ts";

/**
 * Splits a snapshot into parts, so that content shared by many decisions is stored once. Long lists are cut after items chosen
 * by their key: a changed item changes only the parts that held it. Specs and policies never change and stay in their own
 * tables: a part refers to the job, and the root to the version.
 */
export interface InputParts {
	/** Hash of the root, which names all other parts. */
	hash: string;
	/** Text by hash, including the root. */
	texts: ReadonlyMap<string, string>;
}

/**
 * Snapshot fields that are each a separate part: they stay the same for many cycles, and grow with the number of offers, regions or data.
 */
export const WHOLE_FIELDS = ["offerRecords", "boardWatts", "gridForecast", "priceForecast", "foretoldBy", "data", "throughput"] as const;
type WholeField = (typeof WHOLE_FIELDS)[number];
type ListField = "offers" | "pending" | "running" | "durations" | "foreign";

/** The root's fields that name parts. The root contains every other field of a snapshot itself. */
export interface InputRoot {
	policyName: string;
	parts: {
		offers: string[];
		/** When each offer's price was seen, in offer order: for most offers, this is all that changes with a refresh. */
		observed: string;
		pending: string[];
		running: string[];
		durations: string[];
		/** Absent in a snapshot without jobs of other schedulers. */
		foreign?: string[];
	} & Partial<Record<WholeField, string | null>>;
	/** In older roots these are whole fields. */
	rest: Omit<Snapshot, "policy" | ListField | WholeField> & Partial<Pick<Snapshot, "foreign" | WholeField>>;
}

/** Average number of items per part. */
const PART_ITEMS = 128;

export function partsOf(snapshot: Snapshot): InputParts {
	const texts = new Map<string, string>();
	const add = (text: string): string => {
		const hash = hashOf(text);
		texts.set(hash, text);
		return hash;
	};
	const { policy, offers, pending, running, durations, foreign, ...fields } = snapshot;
	const rest: InputRoot["rest"] = { ...fields };
	const whole: Partial<Record<WholeField, string>> = {};
	for (const name of WHOLE_FIELDS) {
		const value = snapshot[name];
		delete rest[name];
		if (value !== undefined) whole[name] = add(itemText(value, (all) => all));
	}
	const addList = <T extends object>(items: readonly T[], keyOf: (item: T) => string, write: (item: T) => unknown): string[] =>
		cut(sorted(items, keyOf), keyOf).map((part) => add(`[${part.map((item) => itemText(item, write)).join(",")}]`));
	const root: InputRoot = {
		policyName: policy.name,
		parts: {
			offers: addList(
				offers,
				({ id }) => id,
				({ priceObservedAtMs: _, ...offer }) => offer,
			),
			observed: add(textOf(sorted(offers, ({ id }) => id).map((offer) => offer.priceObservedAtMs))),
			pending: addList(pending, keyOfPending, ({ spec: _, ...job }) => job),
			running: addList(running, keyOfRunning, ({ spec: _, ...attempt }) => attempt),
			durations: addList(durations, keyOfDuration, (stat) => stat),
			...(foreign && { foreign: addList(foreign, keyOfForeign, (job) => job) }),
			...whole,
		},
		rest,
	};
	return { hash: add(textOf(root)), texts };
}

export function hashOf(text: string): string {
	return createHash("sha256").update(text, "utf8").digest("base64url");
}

const keyOfPending = (job: PendingJob): string => job.jobId;
const keyOfRunning = (attempt: RunningAttempt): string => attempt.attemptId;
const keyOfForeign = (job: ForeignJob): string => `${job.poolId}\n${job.id}`;
const keyOfDuration = (stat: DurationStat): string => `${stat.team}\n${stat.namePattern}\n${stat.gpus ?? ""}\n${stat.user ?? ""}`;

function sorted<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
	return items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0));
}

function cut<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
	const parts: T[][] = [];
	let part: T[] = [];
	for (const item of items) {
		part.push(item);
		if (hash32(keyOf(item)) % PART_ITEMS !== 0) continue;
		parts.push(part);
		part = [];
	}
	return part.length > 0 ? [...parts, part] : parts;
}

/** Equal rows are the same objects across cycles (snapshot/same-objects), and are written once. */
const written = new WeakMap<object, string>();

function itemText<T extends object>(item: T, write: (item: T) => unknown): string {
	const known = written.get(item);
	if (known !== undefined) return known;
	const text = textOf(write(item));
	written.set(item, text);
	return text;
}
