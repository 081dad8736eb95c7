import type { OfferFit, OfferRow } from "../offers.ts";
import type { RunningAttempt } from "../types.ts";

/**
 * Offers on which work of ours runs now, kept from cycle to cycle: of an attempt it is asked whether it started only until it did.
 * Cost: a look at the attempts that have not started yet; the rows of a shape are sorted again only when another offer is proven,
 * or one no longer.
 */
export class ProvenOffers {
	/** Attempts that run there. */
	readonly #counts = new Map<string, number>();
	readonly #starting = new Set<RunningAttempt>();
	readonly #running = new Map<RunningAttempt, string>();
	/** Changes with the offers that are proven. */
	version = 0;
	readonly #rows = new WeakMap<OfferFit, { version: number; rows: readonly OfferRow[] }>();

	add(attempt: RunningAttempt): void {
		if (!attempt.offerId || attempt.stopping || this.#running.has(attempt)) return;
		this.#starting.add(attempt);
	}

	remove(attempt: RunningAttempt): void {
		this.#starting.delete(attempt);
		const offerId = this.#running.get(attempt);
		if (offerId === undefined) return;
		this.#running.delete(attempt);
		this.#count(offerId, -1);
	}

	has(offerId: string): boolean {
		return this.#counts.has(offerId);
	}

	/** Those that jobs of a shape may have, the cheapest weighed hour first. */
	rowsOf(fit: OfferFit): readonly OfferRow[] {
		const known = this.#rows.get(fit);
		if (known?.version === this.version) return known.rows;
		const rows = [...this.#counts.keys()].flatMap((id) => fit.byId(id) ?? []).sort((a, b) => a.index - b.index);
		this.#rows.set(fit, { version: this.version, rows });
		return rows;
	}

	/** Once a cycle, before it is asked: who has started by now. */
	lookAtStarts(): void {
		for (const attempt of this.#starting) {
			const { offerId, startedAtMs } = attempt;
			if (startedAtMs === null || !offerId) continue;
			this.#starting.delete(attempt);
			this.#running.set(attempt, offerId);
			this.#count(offerId, 1);
		}
	}

	#count(offerId: string, by: 1 | -1): void {
		const before = this.#counts.get(offerId) ?? 0;
		if (before + by === 0) this.#counts.delete(offerId);
		else this.#counts.set(offerId, before + by);
		if (before === 0 || before + by === 0) this.version++;
	}
}

/** The same of a list that is not followed. */
export function provenOffersOf(attempts: Iterable<RunningAttempt>): ProvenOffers {
	const proven = new ProvenOffers();
	for (const attempt of attempts) proven.add(attempt);
	return proven;
}
