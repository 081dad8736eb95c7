import { expect, it } from "vitest";
import { type ApiObject, type JobObject, RESOURCE_TYPES } from "../objects.ts";
import { Store } from "../store.ts";
import { syncJobs } from "./job-controller.ts";

// A change wakes the controllers, so one that always changes something never rests.
it.each([true, false])("writes a Job's status once (suspended: %s)", (suspend) => {
	const store = new Store();
	const type = RESOURCE_TYPES.find(({ kind }) => kind === "Job");
	if (!type) throw new Error("there are no Jobs");
	const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "thesis", namespace: "default" } };
	store.create(type, {
		...job,
		spec: { suspend, template: { metadata: {}, spec: { containers: [] } } },
		status: {},
	} as unknown as ApiObject);
	syncJobs(store);
	syncJobs(store);
	const version = () => store.get<JobObject>("jobs", "default", "thesis")?.metadata.resourceVersion;
	const before = version();
	let changes = 0;
	store.on("change", () => changes++);
	syncJobs(store);
	expect([changes, version()]).toEqual([0, before]);
});
