import type { Offer } from "#server/domain/capacity.ts";
import type { DataRef } from "#server/domain/job.ts";
import { matchesGlob } from "#server/policy/match-pattern.ts";
import { type DataBook, openData, type Staging } from "#server/scheduling/data.ts";
import { outsideResidency } from "#server/scheduling/residency.ts";
import type { DataView as KnownData } from "#server/scheduling/types.ts";
import type { ReplayScenario } from "./types.ts";

const NONE: readonly DataRef[] = [];

/** The data sets of a scenario: who reads which, where they may go, and what it takes to have them there. */
export class ReplayData {
	/** As Spillway's core sees it; null: the scenario says nothing of data. */
	readonly view: KnownData | null;
	readonly #scenario: Pick<ReplayScenario, "data">;
	readonly #book: DataBook;
	readonly #byTeam = new Map<string, readonly DataRef[]>();

	constructor(scenario: Pick<ReplayScenario, "data" | "dataOutGiB" | "offers">) {
		const { data, dataOutGiB: outGiB, offers } = scenario;
		this.#scenario = scenario;
		const replicas = new Map((data?.sets ?? []).map(({ uri, copies }) => [uri, copies]));
		this.view = data || outGiB > 0 ? { replicas, inboundMiBPerS: data?.inboundMiBPerS ?? new Map(), outGiB } : null;
		this.#book = openData({ nowMs: 0, offers: [...offers], ...(this.view ? { data: this.view } : {}) });
	}

	/** What jobs of a team read: the same list each time. */
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

	staging(data: readonly DataRef[], offer: Offer): Staging {
		return this.#book.staging(data, `${offer.provider}:${offer.region}`);
	}
}

/** All of the data may be there. */
export function mayGoTo(data: readonly DataRef[], { provider, region }: Pick<Offer, "provider" | "region">): boolean {
	return data.length === 0 || outsideResidency(data, provider, region) === null;
}
