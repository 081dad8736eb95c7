import type { Offer } from "#server/domain/capacity.ts";

/** The offers known to the control plane. Changed offers are new objects, so that an earlier plan keeps what it saw. */
export class OfferShelf {
	#offers: Offer[];
	readonly #index = new Map<string, number>();
	readonly #refusals = new Map<string, number>();

	constructor(offers: readonly Offer[]) {
		this.#offers = [...offers];
		for (const [i, offer] of offers.entries()) this.#index.set(offer.id, i);
	}

	/** Callers must not change it; the same array until an offer changes. */
	list(): Offer[] {
		return this.#offers;
	}

	/** All prices were read again. */
	refresh(atMs: number, change: (offer: Offer) => Partial<Pick<Offer, "microUsdPerHour">> | null): void {
		this.#offers = this.#offers.map((offer) => ({ ...offer, priceObservedAtMs: atMs, ...change(offer) }));
	}

	/**
	 * The pause doubles with each consecutive rejection; their count decays with a half-life of four pauses
	 * (services/offer/backoff).
	 */
	backOff(offerId: string, atMs: number, timing: { backoffBaseMs: number; backoffMaxMs: number }): void {
		const offer = this.#find(offerId);
		if (!offer) return;
		const quietMs = offer.backoffUntilMs === null ? 0 : Math.max(0, atMs - offer.backoffUntilMs);
		const faded = Math.floor((this.#refusals.get(offerId) ?? 0) * 0.5 ** (quietMs / (4 * timing.backoffBaseMs)));
		const pauseMs = Math.min(timing.backoffMaxMs, timing.backoffBaseMs * 2 ** Math.min(faded, 20));
		this.#refusals.set(offerId, faded + 1);
		this.#replace(offerId, { ...offer, backoffUntilMs: atMs + pauseMs, backoffReason: "insufficient_capacity" });
	}

	clearBackOff(offerId: string): void {
		const offer = this.#find(offerId);
		if (!offer || !this.#refusals.get(offerId)) return;
		this.#refusals.delete(offerId);
		this.#replace(offerId, { ...offer, backoffUntilMs: null, backoffReason: null });
	}

	#find(offerId: string): Offer | undefined {
		return this.#offers[this.#index.get(offerId) ?? -1];
	}

	#replace(offerId: string, offer: Offer): void {
		this.#offers = this.#offers.with(this.#index.get(offerId) ?? 0, offer);
	}
}
