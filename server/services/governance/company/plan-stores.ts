import { isDeepStrictEqual } from "node:util";
import type { CompanySpec } from "#server/domain/company-schema.ts";
import { storeAddress } from "#server/domain/store.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { microToUsdText } from "#server/kernel/money.ts";
import { addStore, parseStoreSecret } from "#server/services/capacity/store/add.ts";
import { openStore } from "#server/services/capacity/store/box.ts";
import { removeStore, setDefaultStore } from "#server/services/capacity/store/change.ts";
import { storeById } from "#server/services/capacity/store/find.ts";
import { listStores } from "#server/services/capacity/store/list.ts";
import { setStorePrice } from "#server/services/capacity/store/set-price.ts";
import { isSamePlace, updateStore } from "#server/services/capacity/store/update.ts";
import type { StoreView } from "#server/services/capacity/store/view.ts";
import { type Change, type CompanyContext, differences, type PlanPart, SECRET } from "./change.ts";
import { parseJsonSecret, type Secrets } from "./secrets.ts";

type Store = NonNullable<CompanySpec["stores"]>[number];

/** Stores are not checked: nothing outside the database changes. `teams`: names that exist once the file's teams are applied. */
export async function planStores(
	ctx: CompanyContext,
	wanted: readonly Store[],
	{ prune, secrets, teams }: { prune: boolean; secrets: Secrets; teams: ReadonlySet<string> },
): Promise<PlanPart> {
	const { stores } = await listStores(ctx);
	const known = new Map(stores.map((store) => [idOf(store), store]));
	const problems: PlanPart["problems"] = [];
	const changes: Change[] = [];
	for (const [index, store] of wanted.entries()) {
		const before = known.get(idOf(store));
		const row = before && (await storeById(ctx.db, before.id));
		const report = (field: string, message: string) => problems.push({ at: ["spec", "stores", index, field], message });
		const secret = readSecret(store, secrets);
		if (typeof secret === "string") report("credentials", secret);
		else if (!teams.has(store.team)) report("team", `There is no team "${store.team}". Add it under teams.`);
		else if (row && !isSamePlace(row.config, store.config))
			report(
				"config",
				`Store ${idOf(store)} keeps its files in ${storeAddress(row.config)}; that cannot change. Use another name for the new place.`,
			);
		else if (!before || !row) changes.push(planAdd(store, secret));
		else changes.push(...planChange(store, secret, { view: before, config: row.config, secret: openSecret(ctx, row) }));
	}
	const ids = new Set(wanted.map(idOf));
	const removed = stores.filter((store) => prune && !ids.has(idOf(store)));
	return { changes: [...removed.map(planRemoval), ...changes], skipped: [], problems };
}

const idOf = ({ team, name }: { team: string; name: string }) => `${team}/${name}`;

/** The credentials, or what is wrong with them. */
function readSecret({ config, credentials }: Store, secrets: Secrets): object | string {
	const given = credentials === undefined ? {} : parseJsonSecret(credentials, secrets);
	if (given === null) return `${credentials} does not contain a JSON object.`;
	try {
		return parseStoreSecret(config.kind, given);
	} catch (error) {
		if (!(error instanceof SpillwayError)) throw error;
		return [error.message, ...error.fields.map(({ path, message }) => `${path.replace(/^secret\./, "")}: ${message}.`)].join(" ");
	}
}

/** Null when SPILLWAY_SECRET has changed since: the file's credentials replace them. */
function openSecret(ctx: CompanyContext, row: Awaited<ReturnType<typeof storeById>>): unknown {
	try {
		return openStore(ctx.stores, row).secret;
	} catch {
		return null;
	}
}

function planAdd(store: Store, secret: object): Change {
	const { credentials, ...plain } = store;
	const { team: _, name: __, ...fields } = plain;
	return {
		...{ kind: "store", id: idOf(store), action: "create" },
		fields: differences(null, { ...fields, ...(credentials !== undefined && { credentials: SECRET }) }),
		apply: (at) => addStore(at, { ...plain, secret, check: false }),
	};
}

interface Known {
	view: StoreView;
	config: Store["config"];
	secret: unknown;
}

function planChange({ config, isDefault, ...store }: Store, secret: object, before: Known): Change[] {
	const { id, price } = before.view;
	const known = { usdPerGiBMonth: usdOf(price.microUsdPerGiBMonth), usdPerGiBEgress: usdOf(price.microUsdPerGiBEgress) };
	const wanted = { usdPerGiBMonth: store.usdPerGiBMonth ?? null, usdPerGiBEgress: store.usdPerGiBEgress ?? null };
	const settings = differences({ config: before.config }, { config });
	const isSame = isDeepStrictEqual(before.secret, secret);
	const changed = isSame ? [] : [{ field: "credentials", before: SECRET, after: `${SECRET}, changed` }];
	const prices = differences(known, wanted);
	const use = differences({ isDefault: before.view.isDefault }, { isDefault });
	const fields = [...settings, ...changed, ...use, ...prices];
	if (fields.length === 0) return [];
	const text = (usd: number | null) => (usd === null ? null : microToUsdText(BigInt(Math.round(usd * 1e6))));
	const apply = async (ctx: CompanyContext) => {
		if (settings.length + changed.length > 0) await updateStore(ctx, id, { config, secret });
		if (use.length > 0) await setDefaultStore(ctx, { id, isDefault });
		const usd = { usdPerGiBMonth: text(wanted.usdPerGiBMonth), usdPerGiBEgress: text(wanted.usdPerGiBEgress) };
		if (prices.length > 0) await setStorePrice(ctx, { id, ...usd });
	};
	return [{ kind: "store", id: idOf(store), action: "update", fields, apply }];
}

const usdOf = (micro: bigint | null): number | null => (micro === null ? null : Number(microToUsdText(micro)));

function planRemoval(store: StoreView): Change {
	return { ...{ kind: "store", id: idOf(store), action: "remove", fields: [] }, apply: (ctx) => removeStore(ctx, store.id) };
}
