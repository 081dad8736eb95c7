import { randomBytes } from "node:crypto";
import { type ApiObject, RESOURCE_TYPES } from "../objects.ts";
import type { Store } from "../store.ts";

/** Records an event of an object, as `kubectl describe` shows it. A repetition only increases its count. */
export function recordEvent(store: Store, about: ApiObject, event: { type: "Warning" | "Normal"; reason: string; message: string }): void {
	const { namespace = "default", name, uid } = about.metadata;
	const known = store.list("events", namespace).find((e) => {
		const { involvedObject, reason, message } = e as unknown as { involvedObject: { uid: string }; reason: string; message: string };
		return involvedObject.uid === uid && reason === event.reason && message === event.message;
	});
	if (known) return;
	const now = `${new Date().toISOString().slice(0, 19)}Z`;
	const metadata = { name: `${name}.${randomBytes(8).toString("hex")}`, namespace };
	const involvedObject = { kind: about.kind, namespace, name, uid, apiVersion: about.apiVersion };
	const type = RESOURCE_TYPES.find((t) => t.kind === "Event");
	if (type)
		store.create(type, {
			apiVersion: "v1",
			kind: "Event",
			metadata,
			involvedObject,
			...event,
			firstTimestamp: now,
			lastTimestamp: now,
			count: 1,
		} as unknown as ApiObject);
}
