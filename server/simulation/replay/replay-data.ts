import type { Offer } from "#server/domain/capacity.ts";
import type { DataRef } from "#server/domain/job.ts";
import { matchesGlob } from "#server/policy/match-pattern.ts";
import { type DataBook, openData, type Staging } from "#server/scheduling/data.ts";
import { outsideResidency } from "#server/scheduling/residency.ts";
import type { DataView as KnownData } from "#server/scheduling/types.ts";
import { StoreCopies } from "./store-copies.ts";
import type { ReplayScenario } from "./types.ts";

const NONE: readonly DataRef[] = [];

/** The data sets of a scenario: which jobs read them, where they may go, and what staging them takes. */
export class ReplayData {
	readonly #scenario: Pick<ReplayScenario, "data" | "offers">;
	readonly #copies: StoreCopies;
	#view: KnownData | null;
	#book: DataBook;
	readonly #byTeam = new Map<string, readonly DataRef[]>();

	constructor(scenario: Pick<ReplayScenario, "data" | "dataOutGiB" | "offers">) {
		const { data, dataOutGiB: outGiB, offers } = scenario;
		this.#scenario = scenario;
		const replicas = new Map((data?.sets ?? []).map(({ uri, copies }) => [uri, copies]));
		const inboundMiBPerS = data?.inboundMiBPerS ?? new Map<string, number>();
		const stores = data?.stores ?? new Map<string, number | null>();
		this.#copies = new StoreCopies((place) => stores.get(place) ?? inboundMiBPerS.get(place) ?? Number.POSITIVE_INFINITY);
		this.#view = data || outGiB > 0 ? { replicas, inboundMiBPerS, outGiB, ...(stores.size > 0 && { stores }) } : null;
		this.#book = this.#openBook(offers);
	}

	#openBook(offers: readonly Offer[]): DataBook {
		return openData({ nowMs: 0, offers: [...offers], ...(this.#view ? { data: this.#view } : {}) });
	}

	/** The view that Spillway's core gets: the same object until something is copied. null: the scenario has no data. */
	seenAt(nowMs: number): KnownData | null {
		if (this.#copies.finish(nowMs)) this.#renew();
		return this.#view;
	}

	/** Starts copying sets into the store of a place. Returns when the last one is complete, UTC ms. */
	copyAhead(place: string, uris: readonly string[], nowMs: number): number {
		const sets = this.#scenario.data?.sets ?? [];
		const ends = uris.map((uri) => this.#copies.begin(place, uri, sets.find((set) => set.uri === uri)?.sizeGiB ?? 0, nowMs));
		this.#renew();
		return Math.max(nowMs, ...ends);
	}

	#renew(): void {
		if (this.#view) this.#view = { ...this.#view, copiesAhead: this.#copies.seen() };
		this.#book = this.#openBook(this.#scenario.offers);
	}

	/** Data that a team's jobs read. Returns the same list each time. */
	readBy(team: string): readonly DataRef[] {
		const sets = this.#scenario.data?.sets ?? [];
		if (sets.length === 0) return NONE;
		const known = this.#byTeam.get(team);
		if (known) return known;
		const read = sets
			.filter(({ teams }) => teams.some((pattern) => matchesGlob(pattern, team)))
			.map(({ uri, sizeGiB, residency }) => ({ uri, sizeGiB, mount: "/data", residency: [...residency] }));
		this.#byTeam.set(team, read);
		return read;
	}

	/** `sinceMs`: copies in the place's store count only if they are at least this new. */
	staging(data: readonly DataRef[], offer: Offer, sinceMs: number | null = null): Staging {
		return this.#book.staging(data, `${offer.provider}:${offer.region}`, sinceMs);
	}
}

/** Whether all of the data may be stored there. */
export function isAllowedIn(data: readonly DataRef[], { provider, region }: Pick<Offer, "provider" | "region">): boolean {
	return data.length === 0 || outsideResidency(data, provider, region) === null;
}
