CREATE TABLE "bill_line_restated" (
	"line_id" text PRIMARY KEY NOT NULL,
	"bill_id" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "bill_line" ADD COLUMN "about_hash" bigint;--> statement-breakpoint
ALTER TABLE "bill_line_restated" ADD CONSTRAINT "bill_line_restated_line_id_bill_line_id_fk" FOREIGN KEY ("line_id") REFERENCES "public"."bill_line"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bill_line_restated" ADD CONSTRAINT "bill_line_restated_bill_id_bill_id_fk" FOREIGN KEY ("bill_id") REFERENCES "public"."bill"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "bill_line_about" ON "bill_line" USING btree ("about_hash");--> statement-breakpoint
CREATE TRIGGER bill_line_restated_insert_only BEFORE UPDATE OR DELETE ON "bill_line_restated" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
