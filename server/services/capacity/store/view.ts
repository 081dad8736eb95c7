import { issuesCredentials, type StoreConfig, storeAddress } from "#server/domain/store.ts";
import type { StorePrice } from "#server/services/pricing/store/prices.ts";
import type { StoreRow } from "./find.ts";

/** A store's current prices; null when no price is set. */
export interface StorePriceView {
	microUsdPerGiBMonth: bigint | null;
	microUsdPerGiBEgress: bigint | null;
	effectiveFrom: Date | null;
}

/** A store without its credentials. */
export interface StoreView {
	id: string;
	team: string;
	name: string;
	kind: StoreConfig["kind"];
	address: string;
	place: string | null;
	isDefault: boolean;
	/** Whether machines exchange bytes with it directly; otherwise through the control plane. */
	direct: boolean;
	price: StorePriceView;
	createdAt: Date;
	checkedAt: Date | null;
	problem: string | null;
}

export function storeView(row: StoreRow, price: StorePrice | undefined): StoreView {
	const { id, team, name, config, isDefault, createdAt, checkedAt, problem } = row;
	return {
		...{ id, team, name, kind: config.kind, address: storeAddress(config), place: config.place ?? null, isDefault },
		...{ direct: issuesCredentials(config), price: priceView(price), createdAt, checkedAt, problem },
	};
}

export function priceView(price: StorePrice | undefined): StorePriceView {
	return {
		microUsdPerGiBMonth: price?.microUsdPerGiBMonth ?? null,
		microUsdPerGiBEgress: price?.microUsdPerGiBEgress ?? null,
		effectiveFrom: price === undefined ? null : new Date(price.fromMs),
	};
}
