import { documentationPage } from "#server/api/documentation.ts";

/** A page of this installation's documentation, as Markdown text. */
export async function GET(_: Request, { params }: { params: Promise<{ page: string }> }): Promise<Response> {
	return documentationPage((await params).page);
}
