import type { inferRouterOutputs } from "@trpc/server";
import { formatBytes } from "#components/job/job-checkpoints.tsx";
import type { AppRouter } from "#server/api/trpc/router.ts";

type Prepared = NonNullable<inferRouterOutputs<AppRouter>["instance"]["list"]["items"][number]["prepared"]>;

/** What a machine without a job has fetched, and why it has not fetched the rest. */
export function PreparedList({ items }: { items: Prepared }) {
	return (
		<ul aria-label="Prepared" className="text-xs text-ink-3">
			{items.map(({ kind, name, state, bytes, digest, problem, sharePercent }) => (
				<li
					key={`${kind} ${name}`}
					className="max-w-80 break-words"
					title={[digest, sharePercent === null ? "named by the rule" : `used by ${sharePercent}% of recorded jobs`]
						.filter(Boolean)
						.join(", ")}
				>
					{kind} <span className="text-ink-2">{name}</span>{" "}
					{state === "ready" && bytes !== null ? `${formatBytes(bytes)} ready` : <PreparedState state={state} problem={problem} />}
				</li>
			))}
		</ul>
	);
}

function PreparedState({ state, problem }: Pick<Prepared[number], "state" | "problem">) {
	if (state === "failed") return <span className="text-risk-ink">failed: {problem}</span>;
	return <span>{problem === null ? state : `${state}: ${problem}`}</span>;
}
