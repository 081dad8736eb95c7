import { setTimeout as sleep } from "node:timers/promises";
import type { z } from "zod";
import { DriverError } from "../driver-errors.ts";
import { type KubeCalls, WATCH_SECONDS, type WatchEvent } from "./client.ts";
import { isExpired, notUnderstood } from "./errors.ts";

/** Delay between two attempts to resume a watch; doubled each time. */
const RETRY_MIN_MS = 100;
const RETRY_MAX_MS = 5_000;
/** Bookmarks arrive every minute, and the server ends a watch itself. A watch that is silent for longer is dead. */
const SILENT_MS = (WATCH_SECONDS + 30) * 1_000;

/**
 * A local copy of a cluster collection: listed once, page by page, then watched. A watch that ends resumes from its position. If
 * that is too old (410), or the connection stays down, the collection is listed again. Stale contents are never returned as
 * current: without a watch, `items` asks the server, and throws if it does not respond.
 */
export class Reflector<S extends z.ZodType, T extends z.output<S> & { name: string }> {
	readonly #calls: KubeCalls;
	readonly #path: string;
	readonly #schema: S;
	readonly #key: (item: T) => string;
	readonly #onChange: (item: T) => void;
	readonly #ended = new AbortController();
	#items = new Map<string, T>();
	#version = "";
	#isFollowed = false;
	#listing: Promise<void> | null = null;
	#isWatching = false;

	constructor(calls: KubeCalls, options: { path: string; schema: S; key: (item: T) => string; onChange: (item: T) => void }) {
		this.#calls = calls;
		this.#path = options.path;
		this.#schema = options.schema;
		this.#key = options.key;
		this.#onChange = options.onChange;
	}

	/** @throws DriverError */
	async items(): Promise<Iterable<T>> {
		if (!this.#isFollowed) await this.#list();
		return this.#items.values();
	}

	close(): void {
		this.#ended.abort();
		this.#isFollowed = false;
	}

	#list(): Promise<void> {
		this.#listing ??= this.#listOnce().finally(() => {
			this.#listing = null;
		});
		return this.#listing;
	}

	async #listOnce(): Promise<void> {
		const { items, resourceVersion } = await this.#calls.list(this.#path, this.#schema);
		this.#items = new Map(items.map((item) => [this.#key(item as T), item as T]));
		this.#version = resourceVersion;
		if (this.#ended.signal.aborted || this.#isWatching) return;
		this.#isWatching = true;
		// The watch starts where the listing ended, so nothing is missed until it cannot be opened.
		this.#isFollowed = true;
		void this.#follow().finally(() => {
			this.#isWatching = false;
			this.#isFollowed = false;
		});
	}

	/** Runs until it cannot be resumed. */
	async #follow(): Promise<void> {
		let retryMs = RETRY_MIN_MS;
		while (!this.#ended.signal.aborted) {
			const silent = new AbortController();
			let timer = setTimeout(() => silent.abort(), SILENT_MS).unref();
			const signal = AbortSignal.any([this.#ended.signal, silent.signal]);
			try {
				const opened = () => {
					this.#isFollowed = true;
					retryMs = RETRY_MIN_MS;
				};
				for await (const event of this.#calls.watch(this.#path, {}, this.#version, signal, opened)) {
					clearTimeout(timer);
					timer = setTimeout(() => silent.abort(), SILENT_MS).unref();
					this.#take(event);
				}
			} catch (error) {
				this.#isFollowed = false;
				if (isExpired(error)) return;
				if (error instanceof DriverError && error.kind === "unauthorized") return;
				await sleep(retryMs, undefined, { signal: this.#ended.signal, ref: false }).catch(() => {});
				retryMs = Math.min(RETRY_MAX_MS, retryMs * 2);
			} finally {
				clearTimeout(timer);
			}
		}
	}

	#take({ type, object }: WatchEvent): void {
		const version = (object as { metadata?: { resourceVersion?: unknown } } | null)?.metadata?.resourceVersion;
		if (typeof version !== "string") throw notUnderstood(this.#path, "an event without a resourceVersion");
		if (type !== "BOOKMARK") {
			const parsed = this.#schema.safeParse(object);
			if (!parsed.success) throw notUnderstood(this.#path, parsed.error.message);
			const item = parsed.data as T;
			if (type === "DELETED") this.#items.delete(this.#key(item));
			else this.#items.set(this.#key(item), item);
			this.#onChange(item);
		}
		this.#version = version;
	}
}
