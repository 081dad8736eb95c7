import { copyMs } from "#server/scheduling/copy-ahead.ts";
import type { CopyAhead } from "#server/scheduling/types.ts";

/** What is left to move of a set that the store has an older copy of: scheduling/copy-ahead.ts takes the same. */
const CHANGED_SHARE = 0.1;

interface Copy extends CopyAhead {
	/** When the copying that goes on, or is in line, is over, UTC ms; null: none does. */
	endsMs: number | null;
}

/** Copies that a replay's core makes in the stores of regions, as a live data-copier would: one set after the other into each store. */
export class StoreCopies {
	readonly #mibPerS: (place: string) => number;
	readonly #byPlace = new Map<string, Map<string, Copy>>();

	/** @param mibPerS into the store of a place */
	constructor(mibPerS: (place: string) => number) {
		this.#mibPerS = mibPerS;
	}

	/** Ends the copying that is over by now. True: something was. */
	finish(nowMs: number): boolean {
		let any = false;
		for (const copies of this.#byPlace.values()) {
			for (const copy of copies.values()) {
				if (copy.endsMs === null || copy.endsMs > nowMs) continue;
				any = true;
				// It has what the set had when the copying began.
				copy.asOfMs = copy.beganMs;
				copy.beganMs = null;
				copy.endsMs = null;
			}
		}
		return any;
	}

	/** Begins to copy a set into a place's store, when it is not under way there. When that is over, UTC ms. */
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

	/** As the core may see them: plain data, in which nothing changes. */
	seen(): ReadonlyMap<string, ReadonlyMap<string, CopyAhead>> {
		return new Map(
			[...this.#byPlace].map(([place, copies]) => [
				place,
				new Map([...copies].map(([uri, { asOfMs, beganMs, retryAtMs, problem }]) => [uri, { asOfMs, beganMs, retryAtMs, problem }])),
			]),
		);
	}
}
