import { type FSWatcher, watch } from "node:fs";

/** Calls back when one of the watched folders changes, once for simultaneous changes. */
export class ChangeWatch {
	readonly #watchers = new Map<string, FSWatcher>();
	readonly #subscribers = new Set<() => void>();
	#scheduled = false;

	subscribe(onChange: () => void): () => void {
		const entry = () => onChange();
		this.#subscribers.add(entry);
		return () => this.#subscribers.delete(entry);
	}

	/** If the system has no watches left, only `observe` detects changes. */
	watch(key: string, folder: string): void {
		if (this.#watchers.has(key)) return;
		try {
			const watcher = watch(folder, { persistent: false }, () => this.notify());
			watcher.on("error", () => this.unwatch(key));
			this.#watchers.set(key, watcher);
		} catch {
			// The folder was deleted, or the limit of watches is reached.
		}
	}

	unwatch(key: string): void {
		this.#watchers.get(key)?.close();
		this.#watchers.delete(key);
	}

	notify(): void {
		if (this.#scheduled) return;
		this.#scheduled = true;
		setImmediate(() => {
			this.#scheduled = false;
			for (const subscriber of [...this.#subscribers]) subscriber();
		});
	}

	close(): void {
		for (const key of [...this.#watchers.keys()]) this.unwatch(key);
		this.#subscribers.clear();
	}
}
