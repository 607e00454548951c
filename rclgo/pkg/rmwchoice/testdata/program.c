// A program that uses ROS only so far as it says which middleware it is refused, and what the variable is called now.
#include "../choice.h"

#include <stdio.h>
#include <string.h>

extern const char *rmw_get_implementation_identifier(void);
extern char **environ;

int main(void) {
	const char *asked = rmwchoice_asked();
	printf("%s", asked != NULL ? asked : rmw_get_implementation_identifier());
	for (char **entry = environ; *entry != NULL; entry++) {
		if (strstr(*entry, "MW_IMPLEMENTATION=") == *entry + 1) {
			printf(" %s", *entry);
		}
	}
	return 0;
}
