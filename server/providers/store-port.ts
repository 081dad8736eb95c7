import type { Readable } from "node:stream";
import type { OpenStore, StoreGrant, StoreRemote } from "#server/domain/store.ts";

/** Credentials for one folder of a store, as an rclone remote. */
export interface GrantedRemote extends StoreRemote {
	expiresAtMs: number;
}

/** Operations of the control plane on stores. Paths are relative to the store's prefix. */
export interface StorePort {
	/**
	 * Issues credentials that expire automatically.
	 * @throws StoreError
	 */
	grant(store: OpenStore, grant: StoreGrant): Promise<GrantedRemote>;
	/**
	 * Sizes of the files below a folder, by path; empty if there are none.
	 * @throws StoreError
	 */
	list(store: OpenStore, folder: string): Promise<Map<string, number>>;
	/**
	 * Uploads files of a folder of this host.
	 * @throws StoreError
	 */
	upload(store: OpenStore, from: { folder: string; paths: readonly string[] }, to: string, signal?: AbortSignal): Promise<void>;
	/**
	 * Downloads files to a folder of this host.
	 * @throws StoreError
	 */
	download(store: OpenStore, from: { folder: string; paths: readonly string[] }, to: string, signal?: AbortSignal): Promise<void>;
	/**
	 * Deletes files below a folder, or everything below it. Missing files are no error.
	 * @throws StoreError
	 */
	remove(store: OpenStore, folder: string, paths?: readonly string[]): Promise<void>;
	/** The bytes of one file; `range` is inclusive. */
	read(store: OpenStore, path: string, range?: { start: number; end: number }): Readable;
	/** A temporary URL that downloads one file without credentials; null if the store has none. */
	signUrl(store: OpenStore, path: string, options: { seconds: number; fileName: string; mediaType: string }): Promise<string | null>;
}

/** A store rejected the call or did not respond; the message is for users. */
export class StoreError extends Error {
	override name = "StoreError";
}
