/** A job document for the benchmarks. */
export function jobDocument(changes: { name: string; class?: string; command?: string[]; estimate?: string }): unknown {
	return {
		apiVersion: "spillway/v1",
		kind: "Job",
		metadata: { name: changes.name, team: "research" },
		spec: {
			class: changes.class ?? "burst",
			command: changes.command ?? ["true"],
			resources: { gpus: 1 },
			duration: { estimate: changes.estimate ?? "60s", max: "10m" },
		},
	};
}
