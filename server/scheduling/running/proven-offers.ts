import { backoffOf, type CostTerms } from "../cost.ts";
import type { OfferFit, OfferRow } from "../offers.ts";
import type { RunningAttempt } from "../types.ts";

/**
 * Offers that run our work now, kept from cycle to cycle: an attempt is checked for its start only until it started. Cost: one check of the
 * attempts that have not started yet. The rows of a shape are sorted again only when another offer becomes proven, or one no longer is.
 */
export class ProvenOffers {
	/** Number of attempts that run there. */
	readonly #counts = new Map<string, number>();
	readonly #starting = new Set<RunningAttempt>();
	readonly #running = new Map<RunningAttempt, string>();
	/** Changes whenever the set of proven offers changes. */
	version = 0;
	readonly #rows = new WeakMap<OfferFit, { version: number; rows: readonly OfferRow[] }>();
	readonly #candidates = new WeakMap<OfferFit, { terms: CostTerms; rows: readonly OfferRow[] }>();

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

	/** Proven offers that jobs of a shape may use, lowest ranking price first. */
	rowsOf(fit: OfferFit): readonly OfferRow[] {
		const known = this.#rows.get(fit);
		if (known?.version === this.version) return known.rows;
		const rows = [...this.#counts.keys()].flatMap((id) => fit.byId(id) ?? []).sort((a, b) => a.index - b.index);
		this.#rows.set(fit, { version: this.version, rows });
		return rows;
	}

	/**
	 * Offers that a move may go to: proven ones, and the cheapest spot places without our work that are not in a pause after a refusal. The
	 * same list object while it holds the same offers.
	 */
	candidatesOf(fit: OfferFit, terms: CostTerms): readonly OfferRow[] {
		const known = this.#candidates.get(fit);
		if (known?.terms === terms) return known.rows;
		const proven = this.rowsOf(fit);
		const rows = [...proven, ...unprovenOf(fit, terms, proven)].sort((a, b) => a.index - b.index);
		const same = known !== undefined && known.rows.length === rows.length && rows.every((row, i) => row === known.rows[i]);
		const kept = same ? known.rows : rows;
		this.#candidates.set(fit, { terms, rows: kept });
		return kept;
	}

	/** Must run once per cycle, before first use: adds attempts that have started by now. */
	updateStarted(): void {
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

/** Places without our work to try, cheapest first. A more expensive one saves less, and each launch may be refused. */
const UNPROVEN_MAX = 8;

function unprovenOf(fit: OfferFit, terms: CostTerms, proven: readonly OfferRow[]): OfferRow[] {
	if (!terms.records) return [];
	const places = new Set(proven.map(({ likes, offer }) => likes[0] ?? offer.id));
	const rows: OfferRow[] = [];
	for (const row of fit.eligible) {
		if (rows.length >= UNPROVEN_MAX) break;
		const place = row.likes[0] ?? row.offer.id;
		if (row.offer.capacityType !== "spot" || places.has(place) || backoffOf(row, terms.records) > terms.nowMs) continue;
		places.add(place);
		rows.push(row);
	}
	return rows;
}

/** The same for an untracked list. */
export function provenOffersOf(attempts: Iterable<RunningAttempt>): ProvenOffers {
	const proven = new ProvenOffers();
	for (const attempt of attempts) proven.add(attempt);
	return proven;
}
