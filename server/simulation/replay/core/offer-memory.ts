import type { Offer } from "#server/domain/capacity.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { emptyRecord, withHours, withInterruption, withLaunch, withRefusal } from "#server/scheduling/records.ts";
import type { OfferRecord } from "#server/scheduling/types.ts";
import { firstAfter, priceAt } from "../billing.ts";
import { unitsOf, type World } from "../engine.ts";
import { placeOf, type Run } from "../run.ts";

/** How often the hours of running instances are credited. Those of ended instances are credited immediately. */
const CREDIT_EVERY_MS = HOUR_MS;

/** What the core learns about offers from its own launches, and their current prices. */
export class OfferMemory {
	readonly #world: World;
	readonly #records = new Map<string, OfferRecord>();
	/** Live instances, with the time up to which their hours are credited. */
	readonly #creditedTo = new Map<Run, number>();
	/** Unanswered launches, in launch order. */
	readonly #unanswered: Run[] = [];
	#creditedAtMs: number;
	#offers: Offer[];
	#pricesUntilMs: number;
	/** Offers that are reserved or counted in a quota: their free capacity changes with every machine. */
	readonly #limited: readonly Offer[];
	readonly #byRegion: ReadonlyMap<string, readonly Offer[]>;
	#free: readonly number[] = [];
	#fromPriced: Offer[] | null = null;
	#withFree: Offer[] = [];

	/** @param known how offers behaved before the replay starts. */
	constructor(world: World, known: ReadonlyMap<string, OfferRecord> = new Map()) {
		this.#world = world;
		for (const [id, record] of known) this.#records.set(id, record);
		this.#limited = world.scenario.offers.filter((offer) => offer.capacityType === "reserved" || offer.quota !== undefined);
		this.#byRegion = Map.groupBy(world.scenario.offers, placeOf);
		this.#creditedAtMs = world.nowMs;
		this.#offers = [...world.scenario.offers];
		this.#pricesUntilMs = world.scenario.prices.size === 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
	}

	/** Returns the same list until a price or the free reserved capacity or quota changes. */
	offers(): Offer[] {
		const priced = this.#priced();
		if (this.#limited.length === 0) return priced;
		const free = this.#limited.map((offer) => (offer.quota ? this.#world.quotaUsed(offer) : this.#world.reservedFree(offer)));
		if (priced !== this.#fromPriced || free.some((instances, i) => instances !== this.#free[i])) {
			this.#fromPriced = priced;
			this.#free = free;
			const freeOf = new Map(this.#limited.map(({ id }, i) => [id, free[i] ?? 0]));
			this.#withFree = priced.map((offer) => {
				const count = freeOf.get(offer.id);
				if (count === undefined) return offer;
				if (!offer.quota) return { ...offer, reservedFree: count };
				const machines = Math.max(0, Math.floor((offer.quota.limit - count) / Math.max(1, unitsOf(offer, offer.quota))));
				return { ...offer, quota: { ...offer.quota, used: count }, quotaGpusFree: machines * offer.gpus };
			});
		}
		return this.#withFree;
	}

	#priced(): Offer[] {
		const { nowMs, scenario } = this.#world;
		if (nowMs < this.#pricesUntilMs) return this.#offers;
		this.#pricesUntilMs = Number.POSITIVE_INFINITY;
		for (const changes of scenario.prices.values()) {
			const next = changes[firstAfter(changes, nowMs)]?.atMs ?? Number.POSITIVE_INFINITY;
			this.#pricesUntilMs = Math.min(this.#pricesUntilMs, next);
		}
		this.#offers = this.#offers.map((offer) => {
			if (!scenario.prices.has(offer.id)) return offer;
			const microUsdPerHour = priceAt(scenario, offer, nowMs);
			return microUsdPerHour === offer.microUsdPerHour ? offer : { ...offer, microUsdPerHour, priceObservedAtMs: nowMs };
		});
		return this.#offers;
	}

	records(): ReadonlyMap<string, OfferRecord> {
		const { nowMs } = this.#world;
		this.#answer();
		if (nowMs - this.#creditedAtMs >= CREDIT_EVERY_MS) {
			this.#creditedAtMs = nowMs;
			for (const run of this.#creditedTo.keys()) this.#credit(run);
		}
		return this.#records;
	}

	launched(run: Run): void {
		this.#unanswered.push(run);
		this.#creditedTo.set(run, run.placedAtMs);
	}

	ended(run: Run, interrupted: boolean): void {
		if (!run.offer) return;
		this.#answer();
		this.#credit(run);
		this.#creditedTo.delete(run);
		if (interrupted) this.#change(run.offer, (record) => withInterruption(record, this.#world.nowMs));
	}

	/** Time until which this offer is skipped. */
	refused(run: Run): number {
		const { nowMs } = this.#world;
		this.#creditedTo.delete(run);
		const record = run.offer && this.#change(run.offer, (known) => withRefusal(known, nowMs));
		return record?.backoffUntilMs ?? nowMs;
	}

	/** Handles a throttled call, which says nothing about the offer. Returns the offers of its region, which share the limit. */
	throttled(run: Run): readonly string[] {
		this.#creditedTo.delete(run);
		return run.offer ? (this.#byRegion.get(placeOf(run.offer)) ?? []).map(({ id }) => id) : [];
	}

	/** Launches not refused by now are counted as successful. */
	#answer(): void {
		const { nowMs, scenario } = this.#world;
		let answered = 0;
		for (const run of this.#unanswered) {
			if (run.placedAtMs + scenario.refusalMs > nowMs) break;
			answered++;
			if (!run.refused && run.offer) this.#change(run.offer, (record) => withLaunch(record, nowMs));
		}
		if (answered > 0) this.#unanswered.splice(0, answered);
	}

	#credit(run: Run): void {
		const { nowMs } = this.#world;
		const fromMs = this.#creditedTo.get(run);
		if (fromMs === undefined || !run.offer || run.refused) return;
		const hours = (run.instances * (nowMs - fromMs)) / HOUR_MS;
		this.#change(run.offer, (record) => withHours(record, hours, nowMs));
		this.#creditedTo.set(run, nowMs);
	}

	#change(offer: Offer, change: (record: OfferRecord) => OfferRecord): OfferRecord {
		const record = change(this.#records.get(offer.id) ?? emptyRecord(this.#world.nowMs, offer.capacityType === "spot"));
		this.#records.set(offer.id, record);
		return record;
	}
}
