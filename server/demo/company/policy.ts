/** The policy rules of the demo company. Waits are minutes, as in a real company. */
export function companyPolicy(caps: CompanyCaps = CAPS): string {
	return `# Which jobs may leave the owned clusters, where they may go, and what that may cost.
apiVersion: spillway/v1
kind: Policy
metadata: { name: default }
spec:
  rules:
    # Jobs on sensitive data never leave the building.
    - id: sensitive-stays-home
      when: job.class == "sensitive"
      deny: { sites: [cloud] }

    # A job may burst when it would wait too long at home, or when its deadline draws near.
    - id: burst-on-wait
      burst: { after: { forecastWait: 30m }, or: { deadlineSlack: 1h } }

    # The example trains on this host's four GPUs, and bursts to spot after seconds instead of minutes.
    - id: examples-on-this-host
      when: '"example" in job.labels'
      deny: { sites: [hall-b, hall-c] }
    - id: examples-burst-early
      when: '"example" in job.labels'
      burst: { after: { forecastWait: 10s } }
    - id: examples-on-spot
      when: '"example" in job.labels'
      require: { capacityType: spot }

    # Experiments may burst only to spot.
    - id: spot-for-experiments
      when: job.class == "experimental"
      require: { capacityType: spot }

    # Pretraining keeps too much state to be reclaimed.
    - id: firm-for-pretraining
      when: 'job.project == "base-lm" && job.class != "experimental" && !("example" in job.labels)'
      require: { capacityType: on_demand }

    # The speech data lie at Google.
    - id: speech-runs-at-google
      when: job.team == "speech"
      deny: { sites: [aws, azure] }

    # Finance is asked before more than 16 GPUs leave home at once.
    - id: finance-for-large-jobs
      when: job.gpus > 16
      require: { approval: finance }

    - id: instance-life
      limit: { instanceHours: 36 }

  budgets:
    - { id: cloud-month, scope: "true", period: month, capUsd: ${caps.cloud}, atCap: hold }
    - { id: foundation-month, scope: 'job.team == "foundation"', period: month, capUsd: ${caps.foundation}, atCap: hold }
    - { id: research-month, scope: 'job.team == "research"', period: month, capUsd: ${caps.research}, atCap: hold }

  weights: { delayUsdPerHour: 400, carbonUsdPerTonne: 80 }
`;
}

/** US dollars a month, by budget. */
export type CompanyCaps = Record<"cloud" | "foundation" | "research", number>;

/** A little above the history's monthly spend. */
const CAPS: CompanyCaps = { cloud: 56_000, foundation: 46_000, research: 3_000 };
