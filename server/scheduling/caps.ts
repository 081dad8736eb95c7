import type { CapRule } from "#server/domain/policy.ts";
import type { Reason } from "#server/domain/reasons.ts";
import { assertNever } from "#server/kernel/assert.ts";
import type { RunningAttempt, Snapshot, WarmMachine } from "./types.ts";

/** What one placement adds to the usage of caps. */
export interface CapUsage {
	/** All its instances together. */
	microUsdPerHour: bigint;
	instances: number;
	/** Data that leaves a cloud for it. */
	egressGiB: number;
	/** The machine that it takes, which counts already. Absent: it launches its own. */
	takes?: WarmMachine | undefined;
}

/** A cap that a placement would exceed, in the cap's own unit: µ$ per hour, instances or GiB. */
export interface CapShort {
	cap: CapRule;
	used: bigint | number;
	asked: bigint | number;
}

/** Usage of the policy's caps while a plan is built. With nested scopes, all caps that contain the job apply. */
export interface CapBook {
	/** The first cap in policy order that this would exceed; null if none. */
	shortOf(caps: readonly CapRule[], ask: CapUsage): CapShort | null;
	take(caps: readonly CapRule[], ask: CapUsage): void;
}

type Used = { microUsdPerHour: bigint; instances: number; egressGiB: number };

/** `capsOf`: the caps that apply to a job. Live cloud attempts count until they end, stopping ones included. */
export function openCaps(snapshot: Snapshot, capsOf: CapsOf): CapBook {
	if (snapshot.policy.caps.length === 0) return NO_CAPS;
	let used: Map<string, Used> | null = null;
	const usedOf = (id: string): Used => {
		used ??= usedNow(snapshot, capsOf);
		const known = used.get(id) ?? { microUsdPerHour: 0n, instances: 0, egressGiB: snapshot.egressGiB?.get(id) ?? 0 };
		used.set(id, known);
		return known;
	};
	return {
		shortOf(caps, ask) {
			for (const cap of caps) {
				const short = shortOfOne(cap, usedOf(cap.id), addedTo(cap, ask, capsOf));
				if (short) return short;
			}
			return null;
		},
		take(caps, ask) {
			for (const cap of caps) add(usedOf(cap.id), addedTo(cap, ask, capsOf));
		},
	};
}

export const NO_CAPS: CapBook = { shortOf: () => null, take: () => {} };

type CapsOf = (spec: RunningAttempt["spec"]) => readonly CapRule[];

function addedTo(cap: CapRule, { takes, ...ask }: CapUsage, capsOf: CapsOf): CapUsage {
	if (!takes || !capsOf(takes.spec).some(({ id }) => id === cap.id)) return ask;
	return { ...ask, microUsdPerHour: ask.microUsdPerHour - takes.microUsdPerHour, instances: ask.instances - 1 };
}

function add(used: Used, ask: CapUsage): void {
	used.microUsdPerHour += ask.microUsdPerHour;
	used.instances += ask.instances;
	used.egressGiB += ask.egressGiB;
}

function shortOfOne(cap: CapRule, used: Used, ask: CapUsage): CapShort | null {
	switch (cap.kind) {
		case "burn_rate":
			return passes(cap, used.microUsdPerHour, ask.microUsdPerHour, used.microUsdPerHour + ask.microUsdPerHour > cap.microUsdPerHour);
		case "instances":
			return passes(cap, used.instances, ask.instances, used.instances + ask.instances > cap.count);
		case "egress":
			return passes(cap, used.egressGiB, ask.egressGiB, used.egressGiB + ask.egressGiB > cap.gib);
		default:
			return assertNever(cap, "kind of cap");
	}
}

/** A job without added cost exceeds no cap, even one that is already exceeded: it cannot make it worse. */
function passes(cap: CapRule, used: bigint | number, asked: bigint | number, over: boolean): CapShort | null {
	return over && asked > 0 ? { cap, used, asked } : null;
}

function usedNow(snapshot: Snapshot, capsOf: CapsOf): Map<string, Used> {
	const used = new Map<string, Used>();
	const priceOf = makePriceOf(snapshot);
	const count = (spec: RunningAttempt["spec"], ask: CapUsage): void => {
		for (const { id } of capsOf(spec)) {
			const known = used.get(id) ?? { microUsdPerHour: 0n, instances: 0, egressGiB: snapshot.egressGiB?.get(id) ?? 0 };
			add(known, ask);
			used.set(id, known);
		}
	};
	for (const { spec, microUsdPerHour } of snapshot.warm ?? []) count(spec, { microUsdPerHour, instances: 1, egressGiB: 0 });
	for (const attempt of snapshot.running) {
		if (attempt.placement.capacityType === "owned") continue;
		count(attempt.spec, {
			...{ microUsdPerHour: priceOf(attempt), instances: attempt.spec.nodes },
			egressGiB: attempt.reservedEgressGiB ?? 0,
		});
	}
	return used;
}

/** Price in effect, else the offer's own, else the highest of all: an unknown price must not look cheap. */
function makePriceOf(snapshot: Snapshot): (attempt: RunningAttempt) => bigint {
	let prices: { byId: ReadonlyMap<string, bigint>; highest: bigint } | null = null;
	return (attempt) => {
		const { microUsdPerHour: known = null, offerId = null } = attempt;
		if (known !== null) return known;
		prices ??= pricesOf(snapshot);
		const each = (offerId === null ? undefined : prices.byId.get(offerId)) ?? prices.highest;
		return each * BigInt(Math.max(1, attempt.spec.nodes));
	};
}

function pricesOf({ offers }: Snapshot): { byId: ReadonlyMap<string, bigint>; highest: bigint } {
	const known = offers.flatMap((o) => (o.microUsdPerHour === null ? [] : [[o.id, o.microUsdPerHour] as const]));
	return { byId: new Map(known), highest: known.map(([, price]) => price).reduce(larger, 0n) };
}

export function capFacts({ cap, used, asked }: CapShort): Reason["facts"] {
	switch (cap.kind) {
		case "burn_rate":
			return {
				capId: cap.id,
				capHourlyMicroUsd: String(cap.microUsdPerHour),
				usedHourlyMicroUsd: String(used),
				askedHourlyMicroUsd: String(asked),
			};
		case "instances":
			return { capId: cap.id, capInstances: cap.count, usedInstances: Number(used), askedInstances: Number(asked) };
		case "egress":
			return { capId: cap.id, capGiB: cap.gib, usedGiB: Number(used), askedGiB: Number(asked) };
		default:
			return assertNever(cap, "kind of cap");
	}
}

function larger(a: bigint, b: bigint): bigint {
	return a > b ? a : b;
}
