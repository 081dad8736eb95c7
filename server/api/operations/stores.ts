import { store } from "#server/contract/store.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { addStore } from "#server/services/capacity/store/add.ts";
import type { StoreContext } from "#server/services/capacity/store/box.ts";
import { removeStore, setDefaultStore, setStorageLimits } from "#server/services/capacity/store/change.ts";
import { checkStore } from "#server/services/capacity/store/check.ts";
import { listStores } from "#server/services/capacity/store/list.ts";
import { setStorePrice } from "#server/services/capacity/store/set-price.ts";
import { updateStore } from "#server/services/capacity/store/update.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { OperationContext } from "../operation-context.ts";
import { bind } from "./bind.ts";

export const storeOperations = {
	list: bind(store.list, (ctx) => listStores(ctx)),
	add: bind(store.add, (ctx, input) => addStore(withStores(ctx), input)),
	change: bind(store.change, setDefaultStore),
	update: bind(store.update, (ctx, { id, ...changes }) => updateStore(withStores(ctx), id, changes)),
	setPrice: bind(store.setPrice, setStorePrice),
	check: bind(store.check, (ctx, { id }) => checkStore(withStores(ctx), id)),
	remove: bind(store.remove, (ctx, { id }) => removeStore(ctx, id)),
	limits: bind(store.limits, (ctx, input) => setStorageLimits(ctx, input)),
};

function withStores(ctx: OperationContext): StoreContext {
	authorize(ctx, "store:manage", null);
	if (ctx.stores) return { ...ctx, stores: ctx.stores };
	throw new SpillwayError("unavailable", "This process cannot reach stores.", { fix: "Send the request to the web server." });
}
