#ifndef RCLGO_RMWCHOICE_H_
#define RCLGO_RMWCHOICE_H_

// All of these are NULL if there is nothing to say.
const char *rmwchoice_asked(void);   // what the environment asks for, if the program does not get it
const char *rmwchoice_in_use(void);  // the identifier of the middleware in use
const char *rmwchoice_chooser(void); // the file of librmw_implementation, which chooses at run time
const char *rmwchoice_library(void); // the file that has the functions of rmw

#endif
