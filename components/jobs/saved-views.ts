import type { Outputs } from "#components/trpc/outputs.ts";
import type { TabLink } from "#components/ui/tabs.tsx";
import { JOB_VIEWS, type JobSearch, serializeJobSearch } from "./search-params.ts";
import { VIEW_LABELS } from "./views.ts";

export type SavedView = Outputs["view"]["list"][number];

/** The parts of the list's URL that a saved view stores. */
export function queryOf(search: JobSearch): string {
	return serializeJobSearch({ ...search, saved: null }).replace(/^\?/, "");
}

export function hrefOfView({ id, query }: Pick<SavedView, "id" | "query">): string {
	return `/jobs?${query === "" ? "" : `${query}&`}saved=${encodeURIComponent(id)}`;
}

/** The saved view in the address, if the person can see it. */
export function currentView(search: JobSearch, views: readonly SavedView[]): SavedView | null {
	return views.find(({ id }) => id === search.saved) ?? null;
}

/** True if filters, sort or columns differ from the saved view's, in any order of parameters. */
export function isChanged(search: JobSearch, view: Pick<SavedView, "query">): boolean {
	const sorted = (query: string) => {
		const params = new URLSearchParams(query);
		params.sort();
		return params.toString();
	};
	return sorted(queryOf(search)) !== sorted(view.query);
}

/** Built-in views, then saved ones; shared views of others name their owner. */
export function viewTabs(views: readonly SavedView[]): TabLink[] {
	return [
		...JOB_VIEWS.map((id) => ({ id, label: VIEW_LABELS[id], href: id === "active" ? "/jobs" : `/jobs?view=${id}` })),
		...views.map((view) => ({ id: view.id, label: view.isMine ? view.name : `${view.name} (${view.owner})`, href: hrefOfView(view) })),
	];
}
