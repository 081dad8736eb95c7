import { hkdfSync } from "node:crypto";
import { type OpenStore, STORE_SECRETS, type StoreConfig } from "#server/domain/store.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { StorePort } from "#server/providers/store-port.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { openText, sealText } from "#server/services/core/sealed-box.ts";

/** Dependencies for using stores: the port, and the installation's secret, which seals credentials. */
export interface StoreBox {
	port: StorePort;
	secretKey: string;
}

export type StoreContext = ServiceContext & { stores: StoreBox };

export interface SealedStore {
	id: string;
	config: StoreConfig;
	sealedSecret: string | null;
}

export function sealStoreSecret(secretKey: string, id: string, secret: unknown): string {
	return sealText(keyOf(secretKey), id, JSON.stringify(secret));
}

/** @throws SpillwayError `precondition_failed` when it was sealed under another secret */
export function openStore({ secretKey }: Pick<StoreBox, "secretKey">, { id, config, sealedSecret }: SealedStore): OpenStore {
	try {
		const secret: unknown = sealedSecret === null ? {} : JSON.parse(openText(keyOf(secretKey), id, sealedSecret));
		return { id, config, secret: STORE_SECRETS[config.kind].parse(secret) } as OpenStore;
	} catch (cause) {
		throw new SpillwayError("precondition_failed", "Could not open the store's credentials: SPILLWAY_SECRET has changed.", {
			fix: "Restore SPILLWAY_SECRET, or enter the store's credentials again.",
			cause,
		});
	}
}

function keyOf(secretKey: string): Buffer {
	return Buffer.from(hkdfSync("sha256", secretKey, "", "spillway/store-secret/v1", 32));
}
