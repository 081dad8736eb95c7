import { backoffOf, type CostTerms } from "../cost.ts";
import type { OfferFit, OfferRow } from "../offers.ts";
import type { RunningAttempt } from "../types.ts";

/** Proven offers that jobs of one shape may use, and the places that they are in. */
interface Proven {
	version: number;
	rows: readonly OfferRow[];
	places: ReadonlySet<string>;
}

interface Candidates {
	terms: CostTerms;
	proven: Proven;
	unproven: readonly OfferRow[];
	rows: readonly OfferRow[];
}

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
	readonly #proven = new WeakMap<OfferFit, Proven>();
	readonly #candidates = new WeakMap<OfferFit, Candidates>();
	/** Reused by each search for offers without our work. */
	readonly #unproven: OfferRow[] = [];

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

	/** Proven offers that jobs of a shape may use. */
	#provenOf(fit: OfferFit): Proven {
		const known = this.#proven.get(fit);
		if (known?.version === this.version) return known;
		const rows = [...this.#counts.keys()].flatMap((id) => fit.byId(id) ?? []);
		const proven = { version: this.version, rows, places: new Set(rows.map(placeOf)) };
		this.#proven.set(fit, proven);
		return proven;
	}

	/**
	 * Offers that a move may go to, lowest ranking price first: proven ones, and the cheapest spot places without our work that are not in
	 * a pause after a refusal. The same list object while it holds the same offers.
	 */
	candidatesOf(fit: OfferFit, terms: CostTerms): readonly OfferRow[] {
		const known = this.#candidates.get(fit);
		if (known?.terms === terms) return known.rows;
		const proven = this.#provenOf(fit);
		const unproven = findUnproven(this.#unproven, fit, terms, proven.places);
		if (known && known.proven === proven && isSameList(known.unproven, unproven)) {
			known.terms = terms;
			return known.rows;
		}
		const rows = [...proven.rows, ...unproven].sort((a, b) => a.index - b.index);
		const kept = known && isSameList(known.rows, rows) ? known.rows : rows;
		this.#candidates.set(fit, { terms, proven, unproven: [...unproven], rows: kept });
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

/** Writes them to `found`, and returns it. */
function findUnproven(found: OfferRow[], fit: OfferFit, terms: CostTerms, provenPlaces: ReadonlySet<string>): readonly OfferRow[] {
	found.length = 0;
	if (!terms.records) return found;
	for (const row of fit.eligible) {
		if (found.length >= UNPROVEN_MAX) break;
		const place = placeOf(row);
		if (row.offer.capacityType !== "spot" || provenPlaces.has(place) || backoffOf(row, terms.records) > terms.nowMs) continue;
		if (!found.some((other) => placeOf(other) === place)) found.push(row);
	}
	return found;
}

function placeOf({ likes, offer }: OfferRow): string {
	return likes[0] ?? offer.id;
}

function isSameList(a: readonly OfferRow[], b: readonly OfferRow[]): boolean {
	return a.length === b.length && a.every((row, i) => row === b[i]);
}

/** The same for an untracked list. */
export function provenOffersOf(attempts: Iterable<RunningAttempt>): ProvenOffers {
	const proven = new ProvenOffers();
	for (const attempt of attempts) proven.add(attempt);
	return proven;
}
