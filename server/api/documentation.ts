import { readDoc } from "#server/services/overview/search/find-docs.ts";

const TEXT = { "content-type": "text/plain; charset=utf-8" };

/** A documentation page as Markdown text; the name may end in `.md`, as in links between pages. */
export async function documentationPage(name: string): Promise<Response> {
	const text = await readDoc(name.replace(/\.md$/, ""));
	return text === null
		? new Response("There is no such page. Find pages with Ctrl K.\n", { status: 404, headers: TEXT })
		: new Response(text, { headers: TEXT });
}
