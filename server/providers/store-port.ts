import type { Readable } from "node:stream";
import type { OpenStore, StoreGrant, StoreRemote } from "#server/domain/store.ts";

/** Credentials for one folder of a store, as an rclone remote. */
export interface GrantedRemote extends StoreRemote {
	expiresAtMs: number;
}

/** What the control plane does with stores. Paths are relative to the store's prefix. */
export interface StorePort {
	/** Issues credentials that end by themselves. @throws StoreError */
	grant(store: OpenStore, grant: StoreGrant): Promise<GrantedRemote>;
	/** Sizes of the files below a folder, by path; empty when there is nothing. @throws StoreError */
	list(store: OpenStore, folder: string): Promise<Map<string, number>>;
	/** Copies files of a folder of this host. @throws StoreError */
	upload(store: OpenStore, from: { folder: string; paths: readonly string[] }, to: string, signal?: AbortSignal): Promise<void>;
	/** Copies files to a folder of this host. @throws StoreError */
	download(store: OpenStore, from: { folder: string; paths: readonly string[] }, to: string, signal?: AbortSignal): Promise<void>;
	/** Deletes files below a folder, or everything below it. What is not there is fine. @throws StoreError */
	remove(store: OpenStore, folder: string, paths?: readonly string[]): Promise<void>;
	/** The bytes of one file; `range` is inclusive. */
	read(store: OpenStore, path: string, range?: { start: number; end: number }): Readable;
	/** An address that downloads one file for a while without credentials; null where the store has none. */
	signUrl(store: OpenStore, path: string, options: { seconds: number; fileName: string; mediaType: string }): Promise<string | null>;
}

/** A store refused, or did not answer; the message is for people. */
export class StoreError extends Error {
	override name = "StoreError";
}
