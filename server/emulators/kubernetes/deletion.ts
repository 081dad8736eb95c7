import type { ApiObject, PodObject } from "./objects.ts";
import type { Store } from "./store.ts";

/**
 * Pods end with a grace period, which a later call may shorten. Everything else is deleted immediately unless a finalizer holds
 * it.
 */
export function deleteObject(store: Store, plural: string, object: ApiObject, graceSeconds: number | null): ApiObject {
	if (plural === "pods") return deletePod(store, object as PodObject, graceSeconds);
	if ((object.metadata.finalizers ?? []).length === 0) return store.remove(plural, object);
	if (object.metadata.deletionTimestamp) return object;
	return store.update(plural, {
		...object,
		metadata: { ...object.metadata, deletionTimestamp: at(Date.now()), deletionGracePeriodSeconds: 0 },
	});
}

function deletePod(store: Store, pod: PodObject, asked: number | null): ApiObject {
	const { metadata, spec, status } = pod;
	const isOver = status.phase === "Succeeded" || status.phase === "Failed";
	const grace = !spec.nodeName || isOver ? 0 : (asked ?? spec.terminationGracePeriodSeconds ?? 30);
	if (metadata.deletionTimestamp && grace >= (metadata.deletionGracePeriodSeconds ?? 0)) {
		// An object without finalizers is deleted; one that is already being deleted gets no more time.
		return grace === 0 && (metadata.finalizers ?? []).length === 0 ? store.remove("pods", pod) : pod;
	}
	// A shortened grace period counts from when the pod's deletion was first requested.
	const deletedMs = metadata.deletionTimestamp
		? Date.parse(metadata.deletionTimestamp) - (metadata.deletionGracePeriodSeconds ?? 0) * 1_000
		: Date.now();
	const marked = { ...pod, metadata: { ...metadata, deletionTimestamp: at(deletedMs + grace * 1_000), deletionGracePeriodSeconds: grace } };
	return store.update("pods", marked);
}

function at(ms: number): string {
	return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
