import { copyMs } from "#server/scheduling/copy-ahead.ts";
import type { CopyAhead } from "#server/scheduling/types.ts";

/** Share of a set that must be moved when the store has an older copy, as in scheduling/copy-ahead.ts. */
const CHANGED_SHARE = 0.1;

interface Copy extends CopyAhead {
	/** When the current or queued copying ends, UTC ms; null if there is none. */
	endsMs: number | null;
}

/** Copies that a replay's core makes in the stores of regions, as a live data-copier would: one set after another into each store. */
export class StoreCopies {
	readonly #mibPerS: (place: string) => number;
	readonly #byPlace = new Map<string, Map<string, Copy>>();

	/** @param mibPerS into the store of a place */
	constructor(mibPerS: (place: string) => number) {
		this.#mibPerS = mibPerS;
	}

	/** Completes the copies that are over by now. Returns whether there were any. */
	finish(nowMs: number): boolean {
		let any = false;
		for (const copies of this.#byPlace.values()) {
			for (const copy of copies.values()) {
				if (copy.endsMs === null || copy.endsMs > nowMs) continue;
				any = true;
				// The copy holds what the set held when the copying began.
				copy.asOfMs = copy.beganMs;
				copy.beganMs = null;
				copy.endsMs = null;
			}
		}
		return any;
	}

	/** Starts copying a set into a place's store unless it is already under way. Returns when the copy is complete, UTC ms. */
	begin(place: string, uri: string, gib: number, nowMs: number): number {
		const copies = this.#byPlace.get(place) ?? new Map<string, Copy>();
		this.#byPlace.set(place, copies);
		const before = copies.get(uri);
		if (before && before.endsMs !== null) return before.endsMs;
		const lineMs = [...copies.values()].reduce((last, { endsMs }) => Math.max(last, endsMs ?? nowMs), nowMs);
		const asOfMs = before?.asOfMs ?? null;
		const endsMs = lineMs + Math.ceil(copyMs(gib, this.#mibPerS(place)) * (asOfMs === null ? 1 : CHANGED_SHARE));
		copies.set(uri, { asOfMs, beganMs: nowMs, retryAtMs: null, problem: null, endsMs });
		return endsMs;
	}

	/** Snapshot for the core: plain, immutable data. */
	seen(): ReadonlyMap<string, ReadonlyMap<string, CopyAhead>> {
		return new Map(
			[...this.#byPlace].map(([place, copies]) => [
				place,
				new Map([...copies].map(([uri, { asOfMs, beganMs, retryAtMs, problem }]) => [uri, { asOfMs, beganMs, retryAtMs, problem }])),
			]),
		);
	}
}
