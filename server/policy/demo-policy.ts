/** Settings of the demo policy that an installation may change. */
export interface DemoPolicySettings {
	/** Cap on cloud spend per calendar month, whole US dollars. */
	capUsd?: number;
	/** Maximum lifetime of a cloud instance, hours. */
	instanceHours?: number;
}

/**
 * The policy that the demo publishes, as text. Waits are seconds, where a company would use minutes, so that a burst
 * is visible soon.
 */
export function demoPolicy({ capUsd = 500, instanceHours = 8 }: DemoPolicySettings = {}): string {
	return `# Which jobs may leave home, where they may go, and what that may cost.
# Rules are read from top to bottom. Each does one thing, always or "when" its condition holds for a job.
# Every decision names the rule that made it, by its id.
apiVersion: spillway/v1
kind: Policy
metadata: { name: default }
spec:
  rules:
    # Jobs on sensitive data never leave the building. "cloud" stands for every cloud there is.
    - id: sensitive-stays-home
      when: job.class == "sensitive"
      deny: { sites: [cloud] }

    # A job may burst when it would wait too long at home, or when its deadline draws near.
    # Without a rule like this one nothing ever leaves home.
    - id: burst-on-wait
      burst: { after: { forecastWait: 10s }, or: { deadlineSlack: 5m } }

    # Experiments may burst only to spot: spare capacity at a fraction of the price, which the
    # provider may reclaim at two minutes' notice. A job with a checkpoint then continues elsewhere.
    - id: spot-for-experiments
      when: job.class == "experimental"
      require: { capacityType: spot }

    # However long a job runs, no instance lives longer than this. The worst case that is set aside
    # before a launch is this long times its price, so a forgotten machine cannot cost more.
    - id: instance-life
      limit: { instanceHours: ${instanceHours} }

  budgets:
    # All cloud money together, each calendar month. A job with a worst case that does not fit into what
    # is left is held, and its page says how much is missing.
    - { id: cloud-month, scope: "true", period: month, capUsd: ${capUsd}, atCap: hold }

  # Of the places that are left the cheapest is taken. An hour's delay counts as much as
  # delayUsdPerHour, a tonne of CO2 as much as carbonUsdPerTonne.
  weights: { delayUsdPerHour: 5, carbonUsdPerTonne: 80 }
`;
}
