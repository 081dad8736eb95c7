import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { OriginFacts } from "./origin-facts.tsx";

const template = { id: "tmpl_1", name: "retrain-fraud", version: 3, isDeleted: false };
const draw = (origin: Parameters<typeof OriginFacts>[0]["origin"]) => renderToStaticMarkup(<OriginFacts origin={origin} />);

it("links to the template and shows each parameter with its value", () => {
	const html = draw({ template, parameters: { month: "2026-10", dry: false } });
	expect(html).toContain('href="/pipelines/templates/tmpl_1"');
	expect(html).toContain("retrain-fraud</a>, version 3");
	expect(html).toMatch(/month<\/dt><dd[^>]*>2026-10<.*dry<\/dt><dd[^>]*>false</);
});

it("names a deleted template without a link, and is empty for a pipeline without template and parameters", () => {
	const html = draw({ template: { ...template, isDeleted: true }, parameters: {} });
	expect(html).toContain("retrain-fraud, version 3 (deleted)");
	expect(html).not.toContain("<a ");
	expect(draw({ template: null, parameters: {} })).toBe("");
});
