"use client";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#components/trpc/client.tsx";
import { formatCount } from "#components/ui/format-number.ts";
import { Link } from "#components/ui/link.tsx";
import { useToday } from "./facet-count.tsx";
import { type JobSearch, serializeJobSearch } from "./search-params.ts";
import { wholeView } from "./views.ts";

/** "4 more in All jobs", when a search matches jobs that the view hides. */
export function HiddenMatches({ search }: { search: JobSearch }) {
	const trpc = useTRPC();
	const today = useToday();
	const everywhere: JobSearch = { ...search, view: "all", saved: null };
	const enabled = search.q !== "" && search.view !== "all";
	const { data: here } = useQuery({ ...trpc.job.facets.queryOptions(wholeView(search, today)), enabled });
	const { data: all } = useQuery({ ...trpc.job.facets.queryOptions(wholeView(everywhere, today)), enabled });
	const hidden = enabled && here && all ? all.total - here.total : 0;
	return (
		<p role="status" className="px-4 text-xs text-ink-3 not-empty:pb-3 md:px-6">
			{hidden > 0 && (
				<Link href={`/jobs${serializeJobSearch(everywhere)}`} className="font-strong text-accent hover:underline">
					{formatCount(hidden)} more in All jobs
				</Link>
			)}
		</p>
	);
}
