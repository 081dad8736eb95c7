const TEAM = "forecasting";
const LABELS = { demo: "traffic" };

const sleeping = (seconds: number) => ["sh", "-c", `echo "sleeping ${seconds} s instead of working"; sleep ${seconds}; echo done`];

/** Prepares data, trains three variants in parallel and compares them. Its steps sleep. */
export const RETRAINING = {
	...{ apiVersion: "spillway/v1", kind: "Pipeline" },
	metadata: { name: "retrain-demand", team: TEAM, project: "demand-tft", labels: LABELS },
	spec: {
		class: "burst",
		steps: [
			{ name: "prepare", job: { class: "sensitive", command: sleeping(40), duration: { estimate: "40s", max: "10m" } } },
			{
				name: "train",
				needs: ["prepare"],
				matrix: { horizon: ["24h", "48h", "7d"] },
				job: {
					command: sleeping(150),
					resources: { gpus: 4, accelerators: ["A100-80GB"] },
					duration: { estimate: "150s", max: "20m" },
				},
			},
			{ name: "compare", needs: ["train"], job: { command: sleeping(30), duration: { estimate: "30s", max: "10m" } } },
		],
	},
};

/** Runs whenever the retraining succeeds. */
export const PUBLISHING = {
	...{ apiVersion: "spillway/v1", kind: "Trigger" },
	metadata: { name: "publish-after-retraining", team: TEAM },
	spec: {
		after: { pipeline: RETRAINING.metadata.name },
		pipeline: {
			...{ apiVersion: "spillway/v1", kind: "Pipeline" },
			metadata: { name: "publish-demand", team: TEAM, project: "demand-tft", labels: LABELS },
			spec: {
				class: "sensitive",
				steps: [
					{ name: "forecast", job: { command: sleeping(45), duration: { estimate: "45s", max: "10m" } } },
					{ name: "publish", needs: ["forecast"], job: { command: sleeping(10), duration: { estimate: "10s", max: "10m" } } },
				],
			},
		},
	},
};
