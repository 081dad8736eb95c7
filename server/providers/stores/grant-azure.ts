import { ContainerSASPermissions, generateBlobSASQueryParameters, SASProtocol, StorageSharedKeyCredential } from "@azure/storage-blob";
import { type ConfigOf, joinPath, type OpenStore, type StoreGrant } from "#server/domain/store.ts";
import type { GrantedRemote } from "../store-port.ts";
import { pathIn, secretOf } from "./own-remote.ts";

/** Allowance for machines with clocks that are behind. */
const CLOCK_SKEW_MS = 5 * 60_000;
/** Longer signatures are discouraged (Azure's "SAS expiration policy"), so machines request new ones. */
const LIFETIME_MAX_MS = 24 * 3_600_000;

/**
 * A shared access signature for the folder if the account has a hierarchical namespace, else for the container: a flat namespace
 * has no signatures for folders.
 */
export function grantAzure(store: OpenStore, config: ConfigOf<"azblob">, grant: StoreGrant, nowMs: number): GrantedRemote {
	const key = new StorageSharedKeyCredential(config.account, secretOf(store, "azblob").accountKey);
	const expiresAtMs = nowMs + Math.min(grant.lifetimeMs, LIFETIME_MAX_MS);
	const folder = joinPath(config.prefix, grant.folder);
	const isLoopback = config.endpoint?.startsWith("http:") ?? false;
	// A file is read by name. Only a container's signature can list.
	const rights = `${grant.mode === "write" ? "racw" : "r"}${config.hierarchical ? "" : "l"}`;
	const sas = generateBlobSASQueryParameters(
		{
			...{ containerName: config.container, startsOn: new Date(nowMs - CLOCK_SKEW_MS), expiresOn: new Date(expiresAtMs) },
			...(config.hierarchical && { blobName: folder, isDirectory: true }),
			permissions: ContainerSASPermissions.parse(rights),
			protocol: isLoopback ? SASProtocol.HttpsAndHttp : SASProtocol.Https,
		},
		key,
	);
	const host = config.endpoint?.replace(/\/+$/, "") ?? `https://${config.account}.blob.core.windows.net`;
	return { path: pathIn(store, grant.folder), options: { type: "azureblob", sas_url: `${host}/${config.container}?${sas}` }, expiresAtMs };
}
