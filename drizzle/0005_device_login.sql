CREATE TABLE "device_login" (
	"id" text PRIMARY KEY NOT NULL,
	"device_hash" text NOT NULL,
	"user_hash" text NOT NULL,
	"client_name" text NOT NULL,
	"source" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"account_id" text,
	"decision" text,
	"decided_at" timestamp (3) with time zone,
	"redeemed_at" timestamp (3) with time zone,
	CONSTRAINT "device_login_answered" CHECK (("device_login"."decision" is null) = ("device_login"."account_id" is null))
);
--> statement-breakpoint
ALTER TABLE "device_login" ADD CONSTRAINT "device_login_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "device_login_device" ON "device_login" USING btree ("device_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "device_login_user" ON "device_login" USING btree ("user_hash");--> statement-breakpoint
CREATE INDEX "device_login_expires_at" ON "device_login" USING btree ("expires_at");