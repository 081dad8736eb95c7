import { issuesCredentials, type StoreConfig, storeAddress } from "#server/domain/store.ts";
import type { StoreRow } from "./find.ts";

/** A store without its credentials. */
export interface StoreView {
	id: string;
	team: string;
	name: string;
	kind: StoreConfig["kind"];
	address: string;
	place: string | null;
	isDefault: boolean;
	/** Machines exchange bytes with it themselves; else through the control plane. */
	direct: boolean;
	microUsdPerGiBMonth: bigint | null;
	createdAt: Date;
	checkedAt: Date | null;
	problem: string | null;
}

export function storeView(row: StoreRow): StoreView {
	const { id, team, name, config, isDefault, microUsdPerGiBMonth, createdAt, checkedAt, problem } = row;
	return {
		...{ id, team, name, kind: config.kind, address: storeAddress(config), place: config.place ?? null, isDefault },
		...{ direct: issuesCredentials(config), microUsdPerGiBMonth, createdAt, checkedAt, problem },
	};
}
