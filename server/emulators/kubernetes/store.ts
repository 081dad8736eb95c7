import { randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import { ApiError } from "./api-error.ts";
import type { ApiObject, ResourceType } from "./objects.ts";

export interface Change {
	version: number;
	type: "ADDED" | "MODIFIED" | "DELETED";
	plural: string;
	object: ApiObject;
}

const KEPT_CHANGES = 10_000;

/** Every object, the version of each change, and recent changes: what etcd is to an API server. Event: `change`. */
export class Store extends EventEmitter<{ change: [Change] }> {
	readonly #objects = new Map<string, Map<string, ApiObject>>();
	#changes: Change[] = [];
	#version = 1;
	#oldest = 0;

	constructor() {
		super();
		this.setMaxListeners(0);
	}

	get version(): number {
		return this.#version;
	}

	/** Ordered by name, as in etcd. */
	list<T extends ApiObject>(plural: string, namespace: string | null): T[] {
		const sorted = [...this.#of(plural).entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object as T);
		return namespace === null ? sorted : sorted.filter((o) => o.metadata.namespace === namespace);
	}

	get<T extends ApiObject>(plural: string, namespace: string | null, name: string): T | null {
		return (this.#of(plural).get(keyOf({ name, ...(namespace === null ? {} : { namespace }) })) as T | undefined) ?? null;
	}

	/** @throws ApiError AlreadyExists */
	create(type: ResourceType, object: ApiObject): ApiObject {
		const { name } = object.metadata;
		if (this.#of(type.plural).has(keyOf(object.metadata)))
			throw new ApiError(409, "AlreadyExists", `${type.plural} "${name}" already exists`);
		const creationTimestamp = `${new Date().toISOString().slice(0, 19)}Z`;
		return this.#write("ADDED", type.plural, { ...object, metadata: { ...object.metadata, uid: randomUUID(), creationTimestamp } });
	}

	/** An object that is being deleted is removed once no finalizer holds it. */
	update(plural: string, object: ApiObject): ApiObject {
		const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata;
		if (deletionTimestamp && finalizers.length === 0 && deletionGracePeriodSeconds === 0) return this.remove(plural, object);
		return this.#write("MODIFIED", plural, object);
	}

	remove(plural: string, object: ApiObject): ApiObject {
		this.#of(plural).delete(keyOf(object.metadata));
		return this.#write("DELETED", plural, object);
	}

	/**
	 * Changes after a version.
	 * @throws ApiError Expired if they are no longer kept
	 */
	since(version: number): readonly Change[] {
		if (version < this.#oldest) throw new ApiError(410, "Expired", `too old resource version: ${version} (${this.#oldest})`);
		return this.#changes.filter((change) => change.version > version);
	}

	/** Discards every change so far, as etcd does after some minutes. */
	compact(): void {
		this.#changes = [];
		this.#oldest = this.#version;
	}

	get oldest(): number {
		return this.#oldest;
	}

	#of(plural: string): Map<string, ApiObject> {
		const found = this.#objects.get(plural) ?? new Map<string, ApiObject>();
		this.#objects.set(plural, found);
		return found;
	}

	#write(type: Change["type"], plural: string, object: ApiObject): ApiObject {
		this.#version += 1;
		const written = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
		if (type !== "DELETED") this.#of(plural).set(keyOf(written.metadata), written);
		const change = { version: this.#version, type, plural, object: written };
		this.#changes.push(change);
		if (this.#changes.length > KEPT_CHANGES) this.#oldest = this.#changes.shift()?.version ?? 0;
		this.emit("change", change);
		return written;
	}
}

function keyOf({ namespace, name }: { namespace?: string; name: string }): string {
	return namespace === undefined ? name : `${namespace}/${name}`;
}
